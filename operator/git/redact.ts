/** Longest message that goes into a status or a log line. */
const MESSAGE_LENGTH = 400;

/**
 * What git or a remote said, fit for a status, an event and a log: without credentials, on one line, not endless.
 *
 * @param secrets Texts that must not appear, such as a password and its base64 form.
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(secret, "***");
  clean = clean
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1***@")
    .replaceAll(/\b(authorization:\s*(?:basic|bearer)\s+)\S+/gi, "$1***")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a remote may send terminal codes
    .replaceAll(/\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
  const lines = clean.split("\n").map((line) => line.trim());
  const joined = lines.filter((line) => line !== "").join("; ");
  return joined.length <= MESSAGE_LENGTH ? joined : `${joined.slice(0, MESSAGE_LENGTH - 1)}…`;
}
