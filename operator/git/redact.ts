/** Maximum length of a message in a status or a log line. */
const MESSAGE_LENGTH = 400;

/**
 * Makes output of git or of a remote suitable for a status, an event and a log: without credentials, on one line and
 * bounded. The time is linear in the length of the text: each pattern begins with a fixed text, and matches at different
 * positions cannot overlap.
 *
 * @param secrets Texts that must not appear, such as a password and its base64 form.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const clean = hideSecrets(text, secrets)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a remote may send terminal codes
    .replaceAll(/\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
  const lines = clean.split("\n").map((line) => line.trim());
  const joined = lines.filter((line) => line !== "").join("; ");
  return joined.length <= MESSAGE_LENGTH ? joined : `${joined.slice(0, MESSAGE_LENGTH - 1)}…`;
}

/** Replaces secrets, the user information of URLs, and credentials of HTTP headers. Linear in the length of the text. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  // The longest first, because a secret may contain another one.
  const known = secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length);
  return known
    .reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
    .replaceAll(/:\/\/[^\s/@]+@/g, "://***@")
    .replaceAll(/\b(authorization:\s*(?:basic|bearer)\s+)\S+/gi, "$1***");
}

/**
 * Makes a text suitable for a message of a zone: one line of bounded length, without characters that change how it is
 * displayed. Pure.
 *
 * @param most Maximum length of the message, in characters.
 */
export function toMessageText(said: string, most: number): string {
  return said
    .slice(0, 2 * most)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, most);
}
