import { SourceError, type SourceFailureReason } from "../../errors.ts";
import { isGitError } from "../git-errors.ts";
import { redact } from "../redact.ts";

/**
 * Output of git or of a remote, and its meaning. The first match counts. `.*` in the middle of a pattern would be
 * quadratic for a line that repeats the words before it: such a gap has a limit, or the pattern begins at a line start.
 */
const meanings: readonly (readonly [pattern: RegExp, reason: SourceFailureReason, words: string])[] = [
  [
    /returned error: 30\d|redirect/i,
    "SourceInvalid",
    "it redirects, and credentials are not sent to another host; use the URL that it redirects to",
  ],
  // The line has the path of the key's file, whose random name may contain any word below.
  [
    /^Load key .{0,300}(?:libcrypto|invalid format)/m,
    "SourceInvalid",
    "ssh cannot read the private key in identity of the Secret",
  ],
  [
    /remote host identification has changed|host key .{0,200} has changed/i,
    "SourceRefused",
    "its host key differs from known_hosts: the key was changed, or another host responds",
  ],
  [
    /host key verification failed|no .{0,40}host key is known/i,
    "SourceRefused",
    "its host key is not in known_hosts",
  ],
  [
    // If a host closes the connection, its certificate is not the cause.
    /SSL_ERROR_SYSCALL|SSL_[a-z]{4,10}: .{0,80}(?:reset|timed out|unexpected eof)|unexpected eof while reading|SSL connection timeout|non-properly terminated|Error in the (?:pull|push) function/i,
    "SourceUnreachable",
    "the connection was closed before it responded",
  ],
  [
    // Host names and paths may contain these words too, mostly in lower case.
    /[Cc]ertificate|SSL|TLS|gnutls_/,
    "SourceRefused",
    "its certificate is not trusted; add its certificate authority as ca.crt to the Secret",
  ],
  [
    /authentication failed|permission denied|could not read (?:username|password)|terminal prompts disabled|access denied|returned error: (?:401|403)|invalid (?:username|credentials)|not authorized/i,
    "SourceRefused",
    "it refuses these credentials",
  ],
  [
    /^(?:(?!repository ).)*repository .*not found|returned error: 404|does not appear to be a git repository|no such repository|could not be found|does not exist/im,
    "SourceNotFound",
    "the repository does not exist, or these credentials may not read it",
  ],
  [/not our ref|unadvertised object/i, "SourceNotFound", "it has no such commit"],
  [/couldn't find remote ref|no such remote ref/i, "SourceNotFound", "the ref was deleted"],
  [/dubious ownership/i, "SourceRefused", "its folder belongs to another user of this machine"],
  [
    /fsck error|invalid object|broken object/i,
    "SourceInvalid",
    "it contains an object that git reports as damaged or harmful",
  ],
];

/**
 * Failures that git, curl and ssh report, with the operator's descriptions; the first match counts. A git host can write
 * any text to stderr (`remote:` lines, bodies of HTTP responses, banners of ssh), so no text of it is repeated in a
 * status.
 */
const phrases: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/not our ref/i, "not our ref"],
  [/does not support shallow/i, "the host does not support shallow fetches"],
  [/permission denied \(publickey/i, "Permission denied (publickey)"],
  [/could not resolve host/i, "cannot resolve its host name"],
  [/connection refused/i, "connection refused"],
  [/no route to host|network is unreachable/i, "no route to the host"],
  [/timed out|timeout/i, "connection timed out"],
  // Newer versions of curl do not name the cause, such as that the connection was refused.
  [/failed to connect to|could(?:n't| not) connect to server/i, "cannot connect to its host"],
  [/connection (?:was )?reset/i, "connection reset"],
  [/invalid server response|bad line length|is this a git repository|protocol error/i, "not a git server"],
  [/remote error:/i, "the host reported an error"],
  [
    /closed by remote host|hung up|early EOF|unexpected disconnect|empty reply|connection closed/i,
    "the host closed the connection",
  ],
];

/** Length of an ssh fingerprint: 32 bytes in base64, without padding. */
const fingerprint = /\bSHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])/;
const unknownHostKey = /No (ED25519|ECDSA|RSA) host key is known/;
const httpStatus = /returned error: (\d{3})(?!\d)/;

/**
 * Describes why git failed, in words from a closed list. Of the text itself only an HTTP status, and the type and
 * fingerprint of an ssh host key, are repeated.
 *
 * @param stderr What git wrote.
 * @returns Undefined if the text is unknown.
 */
function describeGitFailure(stderr: string): string | undefined {
  const [, status] = httpStatus.exec(stderr) ?? [];
  if (status !== undefined) return `HTTP status ${status}`;
  const [key] = fingerprint.exec(stderr) ?? [];
  if (key !== undefined) return `The fingerprint of its host key has changed to ${key}`;
  const [, type] = unknownHostKey.exec(stderr) ?? [];
  if (type !== undefined) return `No ${type} host key is known`;
  return phrases.find(([pattern]) => pattern.test(stderr))?.[1];
}

/**
 * Describes a failed git command in fixed words: text from the remote is never copied into a status.
 *
 * @param stderr What git wrote.
 */
export function toRemoteFailure(stderr: string, secrets: readonly string[]): SourceError {
  const said = redact(describeGitFailure(stderr) ?? "", secrets);
  const [, reason, words] = meanings.find(([pattern]) => pattern.test(stderr)) ?? [];
  if (reason === undefined || words === undefined) {
    return new SourceError(
      "SourceUnreachable",
      `Cannot reach the repository: ${said || "unknown git failure"}`,
    );
  }
  return new SourceError(reason, `Cannot read the repository: ${words}${said === "" ? "" : ` (${said})`}`);
}

/** The same for failures without a remote: a process that was killed or did not start, a clone that cannot be used. */
export function toProcessFailure(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  if (isGitError(error, "Killed")) {
    return new SourceError(
      "SourceUnreachable",
      error.message.replace("Cannot run git", "Cannot reach the repository: git"),
      {
        cause: error,
      },
    );
  }
  if (isGitError(error, "CacheBroken"))
    return new SourceError("SourceUnreachable", error.message, { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  return new SourceError(
    "SourceUnreachable",
    `Cannot run git, or use its folder: ${code ?? redact(message, [])}`,
    {
      cause: error,
    },
  );
}
