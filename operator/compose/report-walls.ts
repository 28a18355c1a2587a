import { askWallsOnce, type OnWalls } from "../sandbox/ask-walls.ts";
import { describeMissingWalls } from "../sandbox/kernel-walls.ts";
import type { ReportedWalls } from "../sandbox/walls-report.ts";
import type { WalledProcess } from "../telemetry/sandbox-metrics.ts";
import type { SharedParts } from "./shared-parts.ts";

/** Receives the kernel isolation of a process of a zone. */
export type ReportWalls = (process: WalledProcess, walls: ReportedWalls) => void;

/**
 * Reports kernel isolation in the log and in metrics, as processes of zones report it: the kernel may deny one container
 * what it grants another. An unchanged report is not logged again.
 */
export function createWallsReport({
  config,
  log,
  metrics,
}: Pick<SharedParts, "config" | "log" | "metrics">): ReportWalls {
  const known = new Map<string, string>();
  return (process, walls) => {
    metrics?.sandbox.found(process, walls);
    const name = `${process.zone}/${process.process}`;
    const text = JSON.stringify(walls);
    if (known.get(name) === text) return;
    known.set(name, text);
    const { landlockAbi, inForce, missing } = walls;
    const gap = describeMissingWalls(walls);
    const fields = { inForce, missing, landlockAbi, ...(gap !== undefined && { reason: gap }) };
    if (process.process !== "program") {
      log.debug("A process of a zone reported its isolation", { process: name, ...fields });
      return;
    }
    if (gap === undefined) log.info("The kernel isolates programs of Releases", fields);
    else if (config.releaseRequireSandbox) log.warn("Programs of Releases are refused", fields);
    else log.warn("The kernel does not isolate programs of Releases", fields);
  };
}

/** Reports the isolation if the processes of zones belong to this operator: they have the same kernel and container. */
export function reportOwnWalls({
  walls,
  config,
  reportWalls,
}: Pick<SharedParts, "walls" | "config" | "reportWalls">): void {
  if (!config.releases || config.zoneSockets !== undefined) return;
  const { landlockAbi, inForce, missing, keptApart, problem } = walls;
  const found = { landlockAbi, inForce, missing, keptApart, ...(problem !== undefined && { problem }) };
  reportWalls({ zone: "sandbox", process: "program" }, found);
}

/** Reports the isolation of a sandbox zone in another container, as soon as that reports it. */
export function reportZoneWalls({
  config: { releases, zoneSockets },
  clock,
  random,
  log,
  reportWalls,
}: Pick<SharedParts, "config" | "clock" | "random" | "log" | "reportWalls">): void {
  if (!releases || zoneSockets === undefined) return;
  const onWalls: OnWalls = (process, found) => reportWalls({ zone: "sandbox", process }, found);
  askWallsOnce({ zoneSockets, onWalls, clock, random, log });
}
