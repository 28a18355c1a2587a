const protocols = new Set(["http:", "https:", "ssh:", "git:", "git+ssh:", "ssh+git:", "file:"]);
const longestUrl = 2_048;
/** `git@host:path`, as ssh accepts it. */
const scpLike = /^(?:[^@/\s]+@)?([^:/@\s]+):(?!\/\/)(\S+)$/;

/**
 * A key that is equal for different URLs of one repository, so that a sender may use https and a resource ssh: host and
 * path without user, port, `.git` and trailing slash, in lower case. Two repositories that differ only in these parts
 * have the same key, which costs an unnecessary poll. Undefined: not a URL of a repository. Pure.
 */
export function repositoryKeyOf(url: string): string | undefined {
  if (url.length > longestUrl) return undefined;
  const parsed = URL.parse(url);
  if (parsed !== null && protocols.has(parsed.protocol)) {
    const path = decoded(parsed.pathname);
    if (parsed.protocol === "file:") return keyOf("file:", path);
    return keyOf(parsed.hostname.toLowerCase(), path?.toLowerCase());
  }
  const [, host, path] = scpLike.exec(url) ?? [];
  return host === undefined ? undefined : keyOf(host.toLowerCase(), path?.toLowerCase());
}

function keyOf(host: string, path: string | undefined): string | undefined {
  const name = path
    ?.replaceAll(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "")
    .replace(/\/+$/, "");
  return name === undefined || name === "" || host === "" ? undefined : `${host}/${name}`;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
