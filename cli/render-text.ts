import { type Document, isScalar, parseAllDocuments, type Tags } from "yaml";
import { isAddedTo } from "../crds/field-additions.ts";
import { apiVersionOf, type CustomResource, groupOf, type KubernetesObject } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";
import type { Manifest } from "../synth/manifest.ts";
import { SynthesisError } from "../synth/synthesis-error.ts";
import { type SynthesizableKind, synthesize } from "../synth/synthesize.ts";

export interface RenderTextOptions {
  readonly kinds: readonly SynthesizableKind[];
  /** Name of the text in messages. */
  readonly file: string;
  /** Namespace of resources without one. */
  readonly namespace: string;
}

/** Result for one document; with errors there are no manifests. Messages contain file, document and field. */
export interface Rendered {
  readonly manifests: readonly Manifest[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

/** Placeholder for the uid that the API server gives a resource. */
const PLACEHOLDER_UID = "00000000-0000-0000-0000-000000000000";

const nothingObserved: Observed = { list: () => [], find: () => undefined };

/** Renders the resources of a YAML text, document by document. Empty documents are ignored. Pure. */
export function renderText(text: string, options: RenderTextOptions): readonly Rendered[] {
  return parseAllDocuments(text, { version: "1.1", customTags: asKubectlReads })
    .map((document, index) => ({ document, where: `${options.file}, document ${index + 1}` }))
    .filter(({ document }) => !isEmptyDocument(document) || document.errors.length > 0)
    .map(({ document, where }) => renderDocument(document, where, options));
}

/** A `---` at the end of a file begins a document with a null value. */
export function isEmptyDocument({ contents }: Document.Parsed): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** kubectl parses YAML 1.1, where `yes` is a boolean, but keeps dates, times and binary data as text. */
export function asKubectlReads(tags: Tags): Tags {
  return tags.filter(
    (tag) => typeof tag === "string" || (tag.format !== "TIME" && !/:(timestamp|binary)$/.test(tag.tag)),
  );
}

function renderDocument(document: Document.Parsed, where: string, options: RenderTextOptions): Rendered {
  const failed = (reason: string): Rendered => ({
    manifests: [],
    warnings: [],
    errors: [`${where}: ${reason}`],
  });
  const [wrong] = document.errors;
  if (wrong !== undefined) return failed(wrong.message.trimEnd());
  const value = toValue(document);
  if (value instanceof Error) return failed(value.message);
  if (!isObject(value) || typeof value["kind"] !== "string" || typeof value["apiVersion"] !== "string") {
    return failed("expected an object with apiVersion and kind");
  }
  const binding = findKind(value as unknown as KubernetesObject, options.kinds);
  if (typeof binding === "string") return failed(binding);
  const resource = toResource(value as unknown as KubernetesObject, binding, options.namespace);
  if (typeof resource === "string") return failed(resource);
  try {
    const { manifests } = synthesize(binding, resource, nothingObserved);
    const warnings = [...binding.warnings(resource), ...noteAdditions(binding)].map(
      (warning) => `${where}: ${warning}`,
    );
    return { manifests, warnings, errors: [] };
  } catch (error) {
    if (!(error instanceof SynthesisError)) throw error;
    return failed(error.message);
  }
}

/** Without a cluster there are no objects to add to. */
function noteAdditions({ definition, related }: SynthesizableKind): readonly string[] {
  const added = related.filter(isAddedTo).map(({ kind }) => kind.kind);
  if (added.length === 0) return [];
  return [
    `a ${definition.kind} adds to ${added.join(" and ")} objects that are in the cluster; this is not shown`,
  ];
}

/** The value of a document; an unknown alias, or one that expands too much, is an error. */
function toValue(document: Document.Parsed): unknown {
  try {
    return document.toJS();
  } catch (error) {
    return error;
  }
}

/** The kind of an object, or an error. */
function findKind(
  { apiVersion, kind }: KubernetesObject,
  kinds: readonly SynthesizableKind[],
): SynthesizableKind | string {
  const found = kinds.find(
    ({ definition }) => definition.kind === kind && definition.group === groupOf(apiVersion),
  );
  if (found !== undefined) {
    if (apiVersionOf(found.definition) === apiVersion) return found;
    return `apiVersion: ${kind} is "${apiVersionOf(found.definition)}", found "${apiVersion}"`;
  }
  const known = kinds.map(({ definition }) => `${definition.kind} (${apiVersionOf(definition)})`).join(", ");
  return `kind: "${kind}" (${apiVersion}) is not known; known are ${known}`;
}

/** The resource as the API server would store it, or an error. */
function toResource(
  object: KubernetesObject,
  { definition }: SynthesizableKind,
  namespace: string,
): CustomResource | string {
  const { metadata } = object;
  if (!isObject(metadata) || typeof metadata.name !== "string" || metadata.name === "") {
    return "metadata.name: expected a name";
  }
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(definition.namespaced && { namespace: metadata.namespace ?? namespace }),
      uid: PLACEHOLDER_UID,
      resourceVersion: "0",
      generation: 1,
    },
    ours: false,
    spec: object["spec"],
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
