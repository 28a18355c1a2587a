/** The address of a repository, or a prefix of addresses, in normalized form. */
export interface SourceAddress {
  readonly protocol: "https" | "ssh" | "file";
  /** Undefined: any user. Only ssh has users. */
  readonly user: string | undefined;
  /** In lower case; empty for files. */
  readonly host: string;
  readonly port: number;
  /** Path segments, decoded. The last one has no `.git`. */
  readonly segments: readonly string[];
}

const url =
  /^(https|ssh|file):\/\/(?:([\w.~+-]+)@)?([a-z0-9.-]+|\[[0-9a-f:.]+\])?(?::(\d{1,5}))?(\/[!-~]*)?$/i;
/** `user@host:path`, which ssh does not decode. */
const scpLike = /^(?:([\w.-]+)@)?([\w.-]+|\[[0-9a-f:]+\]):([!-~]+)$/i;
const defaultPorts = { https: 443, ssh: 22, file: 0 } as const;

/**
 * Parses the address of a repository. Different spellings of one address have equal results. Pure.
 *
 * A URL that the operator and git or its host could interpret differently is not parsed: other protocols, other
 * characters than printable ASCII, a query, a fragment, `.` and `..` segments, and encoded slashes and percent signs.
 *
 * @param text A URL as in `spec.source.url`, or a prefix of such URLs.
 * @returns Undefined: the text cannot be parsed.
 */
export function readSourceAddress(text: string): SourceAddress | undefined {
  if (text.startsWith("/")) return readSourceAddress(`file://${text}`);
  const [, name, user, host = "", port, path = "/"] = url.exec(text) ?? [];
  if (name === undefined) return readScpLike(text);
  const protocol = name.toLowerCase() as SourceAddress["protocol"];
  // Only ssh uses a user in the URL, and a file URL has no host.
  if ((user !== undefined && protocol !== "ssh") || (host === "") !== (protocol === "file")) return undefined;
  const segments = segmentsOf(path, decodeSegment);
  if (segments === undefined) return undefined;
  const address = { protocol, user, host: host.toLowerCase(), segments };
  return { ...address, port: port === undefined ? defaultPorts[protocol] : Number(port) };
}

function readScpLike(text: string): SourceAddress | undefined {
  const [, user, host, path] = text.includes("://") ? [] : (scpLike.exec(text) ?? []);
  if (host === undefined || path === undefined) return undefined;
  const segments = segmentsOf(path, (segment) => segment);
  return segments && { protocol: "ssh", user, host: host.toLowerCase(), port: defaultPorts.ssh, segments };
}

function segmentsOf(
  path: string,
  decode: (segment: string) => string | undefined,
): readonly string[] | undefined {
  if (/[?#\\]/.test(path)) return undefined;
  const parts = path.split("/").filter((part) => part !== "");
  const segments: string[] = [];
  for (const [index, part] of parts.entries()) {
    const segment = decode(part);
    if (segment === undefined || segment === "." || segment === "..") return undefined;
    const isLast = index === parts.length - 1;
    segments.push(isLast ? segment.replace(/(?<=.)\.git$/, "") : segment);
  }
  return segments;
}

/** Decodes a segment. Undefined: it is malformed, or contains an encoded slash, backslash, control character or percent sign. */
function decodeSegment(segment: string): string | undefined {
  try {
    const decoded = decodeURIComponent(segment);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
    return /[%/\\\u0000-\u001f\u007f]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Whether an address equals a prefix or is below it: same protocol, host and port, and whole path segments. Pure. */
export function isBelow(address: SourceAddress, prefix: SourceAddress): boolean {
  return (
    address.protocol === prefix.protocol &&
    address.host === prefix.host &&
    address.port === prefix.port &&
    (prefix.user === undefined || prefix.user === address.user) &&
    prefix.segments.every((segment, index) => segment === address.segments[index])
  );
}

/**
 * Whether a URL contains a local address: loopback, link-local (where clouds serve the credentials of nodes), unspecified, or
 * the name localhost. Pure.
 *
 * A host that cannot be parsed counts as local. git decodes an ssh URL before it parses the host, so a `%` may hide one. Names
 * are not resolved here: git resolves them later, and may get another result.
 */
export function isLocalAddress(text: string): boolean {
  const [, user = "", host = ""] =
    /^[a-z]+:\/\/([^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(text) ?? scpLikeHost(text);
  if (host === "") return false;
  // The parser of http URLs understands all spellings of an IPv4 address, such as 0x7f.1 and 2130706433.
  const parsed = URL.parse(`http://${host}/`) ?? URL.parse(`http://${hostInBrackets(host)}/`);
  if (parsed === null || `${user}${host}`.includes("%")) return true;
  const name = parsed.hostname.replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  if (name.startsWith("[")) return isLocalIpv6(name.slice(1, -1));
  return /^(0|127|169\.254)\.[\d.]+$/.test(name);
}

function scpLikeHost(text: string): readonly string[] {
  const [, , host = ""] = scpLike.exec(text) ?? [];
  return ["", "", host];
}

/** The host in brackets: git also accepts `[host]:path` and `[host:port]:path`. */
function hostInBrackets(host: string): string {
  return host.replace(/^\[/, "").replace(/[:\]].*$/, "");
}

/** @param address In the format of URLs: compressed, in lower case. */
function isLocalIpv6(address: string): boolean {
  const [, high, low] = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high !== undefined && low !== undefined) {
    const bits = Number.parseInt(high, 16);
    return bits >> 8 === 127 || bits >> 8 === 0 || bits === 0xa9fe;
  }
  return ["::", "::1", "fd00:ec2::254"].includes(address) || /^fe[89ab][0-9a-f]:/.test(address);
}
