import { digestOf } from "../../synth/digest.ts";

export interface PlaceIdInput {
  /** The repository's address, as configured. */
  readonly url: string;
  readonly branch: string;
  /** Folder without leading or trailing slashes; empty for the repository itself. */
  readonly root: string;
}

/**
 * Id of a location in git, for a status: 16 hexadecimal digits. Tenants can read statuses, so the id does not reveal the
 * name of the host. The same repository with another protocol, port or user is the same location. Pure.
 */
export function placeIdOf({ url, branch, root }: PlaceIdInput): string {
  return digestOf(JSON.stringify([repositoryIdOf(url), branch, root])).slice(0, 16);
}

/**
 * Key of a repository, independent of the way of access: host and path, without user, port, protocol and `.git`. Pure.
 */
export function repositoryIdOf(url: string): string {
  const [, host = "", path = ""] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[^\]/]*\]|[^/:]*)(?::\d+)?(\/.*)$/i.exec(url) ??
    /^(?:[^@/:]+@)?(\[[^\]/]*\]|[^/:]+):(.*)$/.exec(url) ??
    /^()(\/.*)$/.exec(url) ??
    [];
  return `${host.toLowerCase()}/${path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "")}`;
}
