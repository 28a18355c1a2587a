import type { PruneDecision } from "../../operator/engine/decide-prune.ts";
import type { PasteableCommands } from "./remedies.ts";
import type { WhyReport } from "./why-report.ts";

/** Adds the command that approves a held prune, and the wait for it, unless the conditions contain it already. Pure. */
export function addHeldPrune(
  report: WhyReport,
  { held }: PruneDecision,
  { kubectl }: Pick<PasteableCommands, "kubectl">,
): WhyReport {
  const known = report.waits.find(({ on }) => on === "PruneHeld");
  const message = held?.message ?? known?.message;
  // The operator's message cannot contain the context of the user's kubeconfig.
  const [, words] = /kubectl (annotate \S+ \S+.*?approve-prune=\S+)/.exec(message ?? "") ?? [];
  const next =
    words === undefined
      ? report.next
      : [`${kubectl(...words.split(" "))}   # approves the deletion`, ...report.next];
  if (held === undefined || known !== undefined) return { ...report, next };
  const wait = {
    on: "PruneHeld",
    message: held.message,
    until: "the deletion is approved, or the objects are in the source again",
  };
  return { ...report, waits: [...report.waits, wait], next };
}
