import { hash } from "node:crypto";

/** One Release of a stage, and the digest of its manifests. */
export interface ReleaseDigest {
  readonly name: string;
  readonly namespace: string;
  /** Digest of all its manifests. */
  readonly digest: string;
}

/**
 * Digest of what a stage runs: of the pairs of Release and digest, in the order of the Releases' keys. Like the other
 * digests, it has 32 hexadecimal digits. Pure.
 */
export function stageDigestOf(releases: readonly ReleaseDigest[]): string {
  const lines = releases.map(({ name, namespace, digest }) => `${namespace}/${name} ${digest}\n`).sort();
  return hash("sha256", lines.join(""), "hex").slice(0, 32);
}

/** A prefix of the digest of a text, to make names unique. Pure. */
export function shortDigest(text: string): string {
  return hash("sha256", text, "hex").slice(0, 8);
}
