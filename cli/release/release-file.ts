import { parseAllDocuments } from "yaml";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import type { Pipeline } from "../../crds/pipeline.ts";
import { Release } from "../../crds/release.ts";
import { asKubectlReads, isEmptyDocument } from "../render-text.ts";
import type { ReleaseObject } from "./release-object.ts";

/** Placeholder for the uid that the API server gives a Release. */
const PLACEHOLDER_UID = "00000000-0000-0000-0000-000000000000";

export interface ReadReleasesOptions {
  /** Name of the text in messages. */
  readonly file: string;
  /** Namespace of Releases without one. */
  readonly namespace: string;
}

/**
 * The Releases of a YAML or JSON text as the API server would store them; undefined: it contains only other objects.
 *
 * @throws Error with file, document and field, if it cannot be parsed, is invalid, or contains Releases and other
 * objects.
 */
export function readReleases(
  text: string,
  options: ReadReleasesOptions,
): readonly ReleaseObject[] | undefined {
  const documents = readDocuments(text, options);
  const releases = documents.filter(({ document }) => isOfKind(document, Release));
  if (releases.length === 0) return undefined;
  const other = documents.find((one) => !releases.includes(one));
  if (other !== undefined)
    throw new Error(`Cannot use ${other.where}: it is not a Release, but the others are; use separate files`);
  return releases.map((one) => toRelease({ ...one, object: toPlain(one) }, options));
}

/** A document of a file that is not empty. */
export interface FileDocument {
  readonly document: ReturnType<typeof parseAllDocuments>[number];
  /** File and number, for messages. */
  readonly where: string;
}

/** The documents of a YAML or JSON text. */
export function readDocuments(
  text: string,
  { file }: Pick<ReadReleasesOptions, "file">,
): readonly FileDocument[] {
  return parseAllDocuments(text, { version: "1.1", customTags: asKubectlReads, logLevel: "error" })
    .map((document, index) => ({ document, where: `${file}, document ${index + 1}` }))
    .filter(({ document }) => !isEmptyDocument(document) || document.errors.length > 0);
}

/** Whether a document is an object of a kind, in any version. */
export function isOfKind(
  document: FileDocument["document"],
  { group, kind }: Pick<ObjectKind, "group" | "kind">,
): boolean {
  return document.get("kind") === kind && String(document.get("apiVersion")).startsWith(`${group}/`);
}

/** @throws Error that names the place if the document cannot be parsed. */
export function toPlain({ document, where }: FileDocument): KubernetesObject {
  const [wrong] = document.errors;
  if (wrong !== undefined) throw new Error(`Cannot read ${where}: ${wrong.message.trimEnd()}`);
  return document.toJS() as KubernetesObject;
}

/** A document as a plain object, and where it is. */
type PlainDocument = Pick<FileDocument, "where"> & { readonly object: KubernetesObject };

export function toRelease(document: PlainDocument, options: ReadReleasesOptions): ReleaseObject {
  return toStored(Release, document, options) as ReleaseObject;
}

/** An object of a file as the API server would store it. @throws Error that names document and field. */
export function toStored<Kind extends typeof Release | typeof Pipeline>(
  kind: Kind,
  { object, where }: PlainDocument,
  { namespace }: Pick<ReadReleasesOptions, "namespace">,
): KubernetesObject {
  const failed = (field: string, why: string) => new Error(`Cannot use ${where}: ${field}: ${why}`);
  const { metadata, apiVersion } = object;
  if (apiVersion !== apiVersionOf(kind))
    throw failed("apiVersion", `expected "${apiVersionOf(kind)}", found "${apiVersion}"`);
  if (typeof metadata?.name !== "string" || metadata.name === "")
    throw failed("metadata.name", "expected a name");
  const spec = kind.spec.safeParse(object["spec"]);
  if (!spec.success) {
    const [issue] = spec.error.issues;
    throw failed(["spec", ...(issue?.path ?? [])].join("."), issue?.message ?? "is not valid");
  }
  const { name, labels, annotations } = metadata;
  return {
    apiVersion,
    kind: kind.kind,
    metadata: {
      name,
      namespace: metadata.namespace ?? namespace,
      uid: PLACEHOLDER_UID,
      generation: 1,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: spec.data,
  } as KubernetesObject;
}
