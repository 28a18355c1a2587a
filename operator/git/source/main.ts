import { parseArgs } from "node:util";
import { size } from "../../config/option-values.ts";
import { startGitZone } from "../git-zone.ts";
import { gitZoneFlags, runGitZone } from "../git-zone-main.ts";
import { sourceZone } from "./source-process.ts";

/**
 * The main process of the source zone.
 *
 * @param argv Words behind `zone source`.
 * @returns The exit code.
 */
export async function runSourceZone(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...gitZoneFlags,
      "cache-size": { type: "string", default: "2Gi" },
      "file-remotes": { type: "boolean", default: false },
      "hook-bind-address": { type: "string" },
      "hook-secrets": { type: "string" },
    },
  });
  const { sockets, cache, "hook-bind-address": address, "hook-secrets": secrets } = values;
  const { data: cacheBytes = 0, error } = size.safeParse(values["cache-size"]);
  const isIncomplete =
    sockets === undefined || cache === undefined || (address !== undefined && secrets === undefined);
  const problem = isIncomplete
    ? "--sockets, --cache, and --hook-secrets beside --hook-bind-address are needed"
    : error && `--cache-size: ${error.issues[0]?.message}`;
  const hooks = address === undefined || secrets === undefined ? undefined : { address, secrets };
  const own = { cacheBytes, hooks, allowFile: values["file-remotes"] };
  return await runGitZone({
    ...{ name: sourceZone.name, values, problem, environment: process.env },
    start: (worker, options) => startGitZone(sourceZone, { ...worker, ...own }, options),
  });
}
