import { createHash } from "node:crypto";
import { credentialKeys } from "../credential-places.ts";
import type { SourceRequest } from "./ports.ts";

/** Data of a Secret with the keys that Flux uses, decoded. */
export type SecretData = ReadonlyMap<string, string>;

/** An opaque id of a repository's URL, of the credentials for it and of its limit. Two ids share no clone. Pure. */
export function tenantOf(url: string, secret: SecretData | undefined, repositoryBytes?: number): string {
  const hash = createHash("sha256");
  // The lengths are included, so that different lists of texts have different encodings.
  const add = (text: string): void => void hash.update(`${Buffer.byteLength(text)}:${text}`);
  add(url);
  if (repositoryBytes !== undefined) add(`at most ${repositoryBytes}`);
  // Other entries do not affect the tenant id.
  for (const key of credentialKeys) {
    const text = secret?.get(key);
    if (text === undefined) continue;
    add(key);
    add(text);
  }
  return hash.digest("hex").slice(0, 32);
}

/** The key of a resource, unique among all kinds with sources. Names have no `@`. Pure. */
export function sourceKeyOf(key: string, groupKind: string): string {
  return `${key}@${groupKind}`;
}

/** The kind in such a key; "" if it has none. Pure. */
export function groupKindIn(sourceKey: string): string {
  const at = sourceKey.indexOf("@");
  return at === -1 ? "" : sourceKey.slice(at + 1);
}

/** The key of the resource without its kind. Pure. */
export function keyIn(sourceKey: string): string {
  const at = sourceKey.indexOf("@");
  return at === -1 ? sourceKey : sourceKey.slice(0, at);
}

/** Whether two requests select the same folder of the same remote, independent of the poll interval. Pure. */
export function isSameQuestion(a: SourceRequest, b: SourceRequest): boolean {
  return (
    a.revision === b.revision &&
    a.repositoryBytes === b.repositoryBytes &&
    (a.source === b.source || JSON.stringify(a.source) === JSON.stringify(b.source)) &&
    isSameData(a.credentials, b.credentials)
  );
}

/** Whether two Secrets have the same entries. Pure. */
export function isSameData(a: SecretData | undefined, b: SecretData | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.size !== b.size) return false;
  for (const [key, text] of a) if (b.get(key) !== text) return false;
  return true;
}
