/** A supported remote, with the URL as it is passed to git. */
export interface RemoteUrl {
  readonly protocol: "file" | "https" | "ssh";
  readonly url: string;
}

/** The remote's URL is not supported; the message contains the correct form. */
export class RemoteUrlError extends Error {
  override readonly name = "RemoteUrlError";
}

/**
 * Reads the address of a repository: an absolute path or `file://`, `https://`, `ssh://`, or `user@host:path`.
 * Everything else is rejected, because git has transports that run programs (`ext::`) or do not encrypt.
 *
 * @throws RemoteUrlError, without any password that the text held.
 */
export function parseRemoteUrl(text: string): RemoteUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (text === "" || text.startsWith("-") || /[\u0000-\u0020\u007f\\]/.test(text)) {
    throw new RemoteUrlError(
      "Cannot use the repository URL: it is empty, starts with - or contains spaces or backslashes",
    );
  }
  if (text.startsWith("/")) return { protocol: "file", url: text };
  const scheme = /^([a-z][a-z0-9+.-]*):(:|\/\/)/i.exec(text);
  if (scheme === null) return parseScpLike(text);
  const [, name = "", separator] = scheme;
  const protocol = name.toLowerCase();
  if (separator !== "//" || (protocol !== "file" && protocol !== "https" && protocol !== "ssh")) {
    throw new RemoteUrlError(`Cannot use the repository URL: "${name}" is not one of file, https and ssh`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new RemoteUrlError("Cannot use the repository URL: it is malformed");
  if (url.password !== "" || (protocol === "https" && url.username !== "")) {
    throw new RemoteUrlError(
      "Cannot use the repository URL: it contains credentials; put them into files and set their folder",
    );
  }
  // git decodes an ssh URL before it parses the host, so the host read here could differ from the one that git connects
  // to.
  if (/^[^/]*\/\/[^/]*%/.test(text)) throw notAHost();
  if (url.hostname.startsWith("-") || url.username.startsWith("-")) throw notAHost();
  // With three slashes git reads no host, and a URL parser takes the next word for it.
  if (protocol !== "file" && (url.hostname === "" || text.startsWith(`${name}:///`))) throw notAHost();
  return { protocol, url: text };
}

/** `git@host:path`, the form that ssh hosts display; the path must not look like an option either. */
function parseScpLike(text: string): RemoteUrl {
  const [, user, host, path] = /^(?:([\w.-]+)@)?([\w.-]+|\[[0-9a-f:]+\]):(.+)$/i.exec(text) ?? [];
  if (host === undefined || path === undefined) {
    throw new RemoteUrlError(
      `Cannot use the repository URL: expected an absolute path, file://, https://, ssh:// or user@host:path`,
    );
  }
  if (host.startsWith("-") || user?.startsWith("-") === true || path.startsWith("-")) throw notAHost();
  return { protocol: "ssh", url: text };
}

function notAHost(): RemoteUrlError {
  return new RemoteUrlError("Cannot use the repository URL: it names no host");
}
