import { askIsolationOnce, type OnIsolation } from "../sandbox/ask-isolation.ts";
import type { ReportedIsolation } from "../sandbox/isolation-report.ts";
import { describeMissingIsolation } from "../sandbox/kernel-isolation.ts";
import type { IsolatedProcess } from "../telemetry/sandbox-metrics.ts";
import type { SharedParts } from "./shared-parts.ts";

/** Receives the kernel isolation of a process of a zone. */
export type ReportIsolation = (process: IsolatedProcess, isolation: ReportedIsolation) => void;

/**
 * Reports kernel isolation in the log and in metrics, as processes of zones report it: the kernel may deny one container
 * what it grants another. An unchanged report is not logged again.
 */
export function createIsolationReport({
  config,
  log,
  metrics,
}: Pick<SharedParts, "config" | "log" | "metrics">): ReportIsolation {
  const known = new Map<string, string>();
  return (process, isolation) => {
    metrics?.sandbox.found(process, isolation);
    const name = `${process.zone}/${process.process}`;
    const text = JSON.stringify(isolation);
    if (known.get(name) === text) return;
    known.set(name, text);
    const { landlockAbi, inForce, missing } = isolation;
    const gap = describeMissingIsolation(isolation);
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
export function reportOwnIsolation({
  isolation,
  config,
  reportIsolation,
}: Pick<SharedParts, "isolation" | "config" | "reportIsolation">): void {
  if (!config.releases || config.zoneSockets !== undefined) return;
  const { landlockAbi, inForce, missing, keptApart, problem } = isolation;
  const found = { landlockAbi, inForce, missing, keptApart, ...(problem !== undefined && { problem }) };
  reportIsolation({ zone: "sandbox", process: "program" }, found);
}

/** Reports the isolation of a sandbox zone in another container, as soon as that reports it. */
export function reportZoneIsolation({
  config: { releases, zoneSockets },
  clock,
  random,
  log,
  reportIsolation,
}: Pick<SharedParts, "config" | "clock" | "random" | "log" | "reportIsolation">): void {
  if (!releases || zoneSockets === undefined) return;
  const onIsolation: OnIsolation = (process, found) => reportIsolation({ zone: "sandbox", process }, found);
  askIsolationOnce({ zoneSockets, onIsolation, clock, random, log });
}
