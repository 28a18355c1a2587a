import { createHash } from "node:crypto";

/** One Release of a stage, and what it renders to. */
export interface ReleaseDigest {
  readonly name: string;
  readonly namespace: string;
  /** Digest of all its manifests. */
  readonly digest: string;
}

/**
 * Digest of what a stage runs: over the pairs of Release and digest, in the order of the Releases' keys. As long as the other
 * digests, 32 hexadecimal digits. Pure.
 */
export function stageDigestOf(releases: readonly ReleaseDigest[]): string {
  const lines = releases.map(({ name, namespace, digest }) => `${namespace}/${name} ${digest}\n`).sort();
  return createHash("sha256").update(lines.join("")).digest("hex").slice(0, 32);
}

/** The beginning of a digest of a text: to tell one name from another. Pure. */
export function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
