/**
 * Failures that git, curl and ssh report, and our words for them; the first match counts. A git host can write any text
 * to stderr (`remote:` lines, bodies of HTTP answers, banners of ssh), so no text of it is repeated in a status.
 */
const phrases: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/not our ref/i, "not our ref"],
  [/does not support shallow/i, "the host does not support shallow fetches"],
  [/permission denied \(publickey/i, "Permission denied (publickey)"],
  [/could not resolve host/i, "cannot resolve its host name"],
  [/connection refused/i, "connection refused"],
  [/no route to host|network is unreachable/i, "no route to the host"],
  [/timed out|timeout/i, "connection timed out"],
  [/connection (?:was )?reset/i, "connection reset"],
  [/invalid server response|bad line length|is this a git repository|protocol error/i, "not a git server"],
  [/remote error:/i, "the host reported an error"],
  [
    /closed by remote host|hung up|early EOF|unexpected disconnect|empty reply|connection closed/i,
    "the host closed the connection",
  ],
];

/** Length of a fingerprint of ssh: 32 bytes in base64, without padding. */
const fingerprint = /\bSHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])/;
const unknownHostKey = /No (ED25519|ECDSA|RSA) host key is known/;
const httpStatus = /returned error: (\d{3})(?!\d)/;

/**
 * Describes why git failed, in words from a closed list. Of the text itself only an HTTP status, and
 * the type and the fingerprint of an ssh host key are repeated.
 *
 * @param stderr What git wrote.
 * @returns Undefined if the text is none that we know.
 */
export function describeGitFailure(stderr: string): string | undefined {
  const [, status] = httpStatus.exec(stderr) ?? [];
  if (status !== undefined) return `HTTP status ${status}`;
  const [key] = fingerprint.exec(stderr) ?? [];
  if (key !== undefined) return `The fingerprint of its host key has changed to ${key}`;
  const [, type] = unknownHostKey.exec(stderr) ?? [];
  if (type !== undefined) return `No ${type} host key is known`;
  return phrases.find(([pattern]) => pattern.test(stderr))?.[1];
}
