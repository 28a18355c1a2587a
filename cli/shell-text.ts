/** A word as a POSIX shell reads it back. Pure. */
export function quoteForShell(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
