/** The main processes of zones, by the word after `zone` on their command line. Each is loaded separately. */
const zones: Readonly<Record<string, (words: readonly string[]) => Promise<number>>> = {
  sandbox: async (words) => (await import("../sandbox/main.ts")).runSandboxZone(words),
  publish: async (words) => (await import("../git/publish/main.ts")).runPublishZone(words),
  source: async (words) => (await import("../git/source/main.ts")).runSourceZone(words),
};

/**
 * Runs the main process of a zone for `zone NAME …`, the command of the zone's container instead of `run`.
 *
 * @param argv As `process.argv`.
 * @returns The exit code; undefined: it is another command.
 */
export function runZone([, , command, name = "", ...words]: readonly string[]): Promise<number> | undefined {
  return command === "zone" && Object.hasOwn(zones, name) ? zones[name]?.(words) : undefined;
}
