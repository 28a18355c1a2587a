import { parseAllDocuments } from "yaml";
import { apiVersionOf, type KubernetesObject } from "../../crds/object.ts";
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
  const documents = parseAllDocuments(text, { version: "1.1", customTags: asKubectlReads, logLevel: "error" })
    .map((document, index) => ({ document, where: `${options.file}, document ${index + 1}` }))
    .filter(({ document }) => !isEmptyDocument(document) || document.errors.length > 0);
  const releases = documents.filter(({ document }) =>
    isRelease(document.get("kind"), document.get("apiVersion")),
  );
  if (releases.length === 0) return undefined;
  const other = documents.find((one) => !releases.includes(one));
  if (other !== undefined)
    throw new Error(`Cannot use ${other.where}: it is not a Release, but the others are; use separate files`);
  return releases.map(({ document, where }) => {
    const [wrong] = document.errors;
    if (wrong !== undefined) throw new Error(`Cannot read ${where}: ${wrong.message.trimEnd()}`);
    return toRelease(document.toJS() as KubernetesObject, where, options);
  });
}

function isRelease(kind: unknown, apiVersion: unknown): boolean {
  return kind === Release.kind && String(apiVersion).startsWith(`${Release.group}/`);
}

function toRelease(
  object: KubernetesObject,
  where: string,
  { namespace }: ReadReleasesOptions,
): ReleaseObject {
  const failed = (field: string, why: string) => new Error(`Cannot use ${where}: ${field}: ${why}`);
  const { metadata, apiVersion } = object;
  if (apiVersion !== apiVersionOf(Release))
    throw failed("apiVersion", `expected "${apiVersionOf(Release)}", found "${apiVersion}"`);
  if (typeof metadata?.name !== "string" || metadata.name === "")
    throw failed("metadata.name", "expected a name");
  const spec = Release.spec.safeParse(object["spec"]);
  if (!spec.success) {
    const [issue] = spec.error.issues;
    throw failed(["spec", ...(issue?.path ?? [])].join("."), issue?.message ?? "is not valid");
  }
  const { name, labels, annotations } = metadata;
  return {
    apiVersion,
    kind: Release.kind,
    metadata: {
      name,
      namespace: metadata.namespace ?? namespace,
      uid: PLACEHOLDER_UID,
      generation: 1,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: spec.data,
  };
}
