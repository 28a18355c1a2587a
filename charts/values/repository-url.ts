const defaultPorts: Readonly<Record<string, number | undefined>> = { "https:": 443, "ssh:": 22 };

/** Accepted forms of `repository.url`. The operator rejects others, and credentials would be visible in its arguments. */
export const repositoryUrlForms =
  "https://…, ssh://…, user@host:path, file://… or an absolute path, without credentials in it";

/**
 * The TCP port of a repository; undefined for a folder.
 *
 * @throws {RangeError} if the URL is not supported.
 */
export function repositoryPortOf(text: string): number | undefined {
  if (/[\s\\]/.test(text) || text === "") throw unusable();
  if (text.startsWith("/") || text.startsWith("file://")) return undefined;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text) || !text.includes("://")) {
    if (!/^(?:[\w.][\w.-]*@)?[\w[][\w.:\]-]*:(?![:-]).+$/.test(text)) throw unusable();
    return defaultPorts["ssh:"];
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = defaultPorts[url?.protocol ?? ""];
  if (url === undefined || port === undefined || url.hostname === "" || text.includes(":///")) {
    throw unusable();
  }
  const hasCredentials = url.password !== "" || (url.protocol === "https:" && url.username !== "");
  if (hasCredentials) throw unusable();
  return url.port === "" ? port : Number(url.port);
}

/** Whether the operator supports the URL. */
export function isRepositoryUrl(text: string): boolean {
  try {
    repositoryPortOf(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether the path of a URL has a query, in which some hosts accept tokens. */
export function hasQuery(text: string): boolean {
  return /^(https|ssh):\/\/[^#]*\?/i.test(text);
}

/** Whether a URL has user info with a password, for any possible parser. */
export function hasPassword(text: string): boolean {
  const [, userInfo = ""] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(text) ?? [];
  return userInfo.includes(":");
}

function unusable(): RangeError {
  return new RangeError(`expected ${repositoryUrlForms}`);
}
