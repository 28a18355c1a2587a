import { digestOf } from "../../synth/digest.ts";

export interface PlaceIdInput {
  /** The repository's address, as it was configured. */
  readonly url: string;
  readonly branch: string;
  /** Folder without slashes at its ends; empty for the repository itself. */
  readonly root: string;
}

/**
 * Names a place in git in a status: 16 hexadecimal digits, because tenants read statuses and need not learn the name of a
 * host. A repository that is reached by another protocol, port or user is the same place. Pure.
 */
export function placeIdOf({ url, branch, root }: PlaceIdInput): string {
  return digestOf(JSON.stringify([repositoryIdOf(url), branch, root])).slice(0, 16);
}

/** One repository however it is reached: host and path, without user, port, protocol and `.git`. Pure. */
export function repositoryIdOf(url: string): string {
  const [, host = "", path = ""] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[^\]/]*\]|[^/:]*)(?::\d+)?(\/.*)$/i.exec(url) ??
    /^(?:[^@/:]+@)?(\[[^\]/]*\]|[^/:]+):(.*)$/.exec(url) ??
    /^()(\/.*)$/.exec(url) ??
    [];
  return `${host.toLowerCase()}/${path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "")}`;
}
