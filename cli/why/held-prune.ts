import type { PruneDecision } from "../../operator/engine/decide-prune.ts";
import type { WhyReport } from "./why-report.ts";

/** Adds what approves a prune that is held, and that it is waited for, unless the conditions say it already. Pure. */
export function addHeldPrune(report: WhyReport, { held }: PruneDecision): WhyReport {
  const known = report.waits.find(({ on }) => on === "PruneHeld");
  const message = held?.message ?? known?.message;
  const [command] = /kubectl annotate \S+ \S+.*?approve-prune=\S+/.exec(message ?? "") ?? [];
  const next = command === undefined ? report.next : [`${command}   # approves the deletion`, ...report.next];
  if (held === undefined || known !== undefined) return { ...report, next };
  const wait = {
    on: "PruneHeld",
    message: held.message,
    until: "the deletion is approved, or the objects are in the source again",
  };
  return { ...report, waits: [...report.waits, wait], next };
}
