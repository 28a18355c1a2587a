import { hash } from "node:crypto";
import { type CustomResource, groupKindOf, groupOf, type ObjectKind } from "../crds/object.ts";
import { idOf, type Manifest } from "./manifest.ts";
import { unstampManifest } from "./stamp.ts";
import { toYaml } from "./yaml-text.ts";

// The layout in git is an interface: a change of it rewrites every user's tree.

/** Maximum bytes of a path segment; common file systems allow 255. */
const SEGMENT_LIMIT = 200;
/** Names that other operating systems or git forbid: devices, leading or trailing dots, a leading dash. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|^[.-]|\.$/;

/**
 * The folder of a resource below the repository path: `<namespace or _cluster>/<plural>.<group>/<name>`.
 *
 * Injective: plain segments have no underscore, and escaped ones differ after theirs.
 */
export function folderOf(definition: ObjectKind, { metadata }: Pick<CustomResource, "metadata">): string {
  const place = definition.namespaced ? toSegment(metadata.namespace ?? "") : "_cluster";
  return `${place}/${toSegment(groupKindOf(definition))}/${toSegment(metadata.name)}`;
}

/**
 * The files of a resource's folder: relative path → YAML, without stamps and without the values of Secrets.
 *
 * @param manifests Result of {@link synthesize}, stamped or not; their ids are unique.
 */
export function filesOf(
  manifests: readonly Manifest[],
  owner: Pick<CustomResource, "metadata">,
): ReadonlyMap<string, string> {
  const groups = groupsByKind(manifests);
  const paths = manifests.map((manifest) => {
    const kind = manifest.kind.toLowerCase();
    const group = (groups.get(kind)?.size ?? 0) > 1 ? groupOf(manifest.apiVersion) : "";
    return [manifest, directoryOf(manifest, owner), `${kind}${group && `.${group}`}`] as const;
  });
  // Kinds, groups and names may contain dashes: `a-b` + `c` is equal to `a` + `b-c`. Such collisions are resolved by a
  // hash.
  const counts = new Map<string, number>();
  for (const [{ metadata }, directory, kind] of paths) {
    const path = `${directory}${kind}-${metadata.name}`;
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return new Map(
    paths.map(([manifest, directory, kind]) => {
      const base = `${kind}-${manifest.metadata.name}`;
      const isTwin = (counts.get(`${directory}${base}`) ?? 0) > 1;
      const file = isTwin ? escapeSegment(base, idOf(manifest), ".yaml") : toSegment(base, ".yaml");
      return [`${directory}${file}`, toFile(manifest)];
    }),
  );
}

function groupsByKind(manifests: readonly Manifest[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { kind, apiVersion } of manifests) {
    groups.getOrInsertComputed(kind.toLowerCase(), () => new Set()).add(groupOf(apiVersion));
  }
  return groups;
}

function directoryOf(
  { metadata: { namespace } }: Manifest,
  { metadata: owner }: Pick<CustomResource, "metadata">,
): string {
  return namespace === undefined || namespace === owner.namespace ? "" : `${toSegment(namespace)}/`;
}

/** A name as a path segment that is safe everywhere; different names have different segments. */
function toSegment(name: string, extension = ""): string {
  const isSafe =
    /^[a-z0-9.-]+$/.test(name) &&
    !reserved.test(name) &&
    name.length + extension.length <= SEGMENT_LIMIT &&
    // A folder must not have the name of a file.
    (extension !== "" || !name.endsWith(".yaml"));
  return isSafe ? `${name}${extension}` : escapeSegment(name, name, extension);
}

/** A readable prefix, an underscore, which no plain segment has, and 8 hexadecimal digits of a hash. */
function escapeSegment(name: string, identity: string, extension: string): string {
  // UTF-16, because unpaired surrogates are all the same in UTF-8.
  const digits = hash("sha256", Buffer.from(identity, "utf16le"), "hex").slice(0, 8);
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, SEGMENT_LIMIT - digits.length - 1 - extension.length);
  const start = reserved.test(readable.replace(/\.+$/, "")) ? `x-${readable}` : readable;
  return `${start.slice(0, SEGMENT_LIMIT - digits.length - 1 - extension.length)}_${digits}${extension}`;
}

function toFile(manifest: Manifest): string {
  const plain = unstampManifest(manifest);
  if (plain.kind !== "Secret" || plain.apiVersion !== "v1") return toYaml(plain);
  const hidden = { ...plain, ...withoutValues("data", plain), ...withoutValues("stringData", plain) };
  return `# Values left out: a Secret's data is never published in plain text.\n${toYaml(hidden)}`;
}

function withoutValues(field: "data" | "stringData", secret: Manifest): { readonly [field]?: object } {
  const values = secret[field];
  if (typeof values !== "object" || values === null) return {};
  return { [field]: Object.fromEntries(Object.keys(values).map((key) => [key, ""])) };
}
