import { parseArgs } from "node:util";
import { gitZoneFlags, runGitZone } from "../git-zone-main.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { publishZone, startPublishProcess } from "./publish-process.ts";

/**
 * The main process of the publish zone.
 *
 * @param argv Words behind `zone publish`.
 * @returns The exit code.
 */
export async function runPublishZone(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { ...gitZoneFlags, repository: { type: "string" }, credentials: { type: "string" } },
  });
  const { sockets, cache, repository, credentials } = values;
  const isIncomplete = sockets === undefined || cache === undefined || repository === undefined;
  return await runGitZone({
    ...{ name: publishZone.name, values, environment: process.env },
    problem: isIncomplete ? "--sockets, --cache and --repository are needed" : problemOf(repository),
    start: (worker, options) =>
      startPublishProcess({ ...worker, repository: repository ?? "", credentials }, options),
  });
}

function problemOf(repository: string): string | undefined {
  try {
    parseRemoteUrl(repository);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
