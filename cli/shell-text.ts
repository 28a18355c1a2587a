/**
 * A command of this program that users can paste. If npx has started this process, the command uses npx too. Pure.
 *
 * @param env The environment of this process.
 */
export function fairleadLine(words: readonly string[], env: NodeJS.ProcessEnv): string {
  const program = env["npm_command"] === "exec" ? ["npx", "fairlead"] : ["fairlead"];
  return [...program, ...words].map(quoteForShell).join(" ");
}

/** Quotes a word for a POSIX shell. Pure. */
export function quoteForShell(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
