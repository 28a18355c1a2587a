/**
 * Makes a text fit for a message of a zone: one line of bounded length, without characters that change how it is shown. Pure.
 *
 * @param most Longest message, in characters.
 */
export function toMessageText(said: string, most: number): string {
  return said
    .slice(0, 2 * most)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, most);
}
