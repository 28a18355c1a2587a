/** Quotes a word for a POSIX shell. Pure. */
export function quoteForShell(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
