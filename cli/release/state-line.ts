import { describeStage, stageOf } from "../../operator/desire/release/pipeline-pin.ts";
import { printable } from "./columns.ts";
import { conditionOf, historyOf, labelOfRelease, type ReleaseObject, shortCommit } from "./release-object.ts";

/** Why a Release is not ready, or what its source lacks; undefined: it is ready. Pure. */
export function describeTrouble(release: ReleaseObject): string | undefined {
  const bad = [conditionOf(release, "Ready"), conditionOf(release, "Sourced")].find(
    (condition) => condition !== undefined && condition.status !== "True",
  );
  return bad && printable(bad.message);
}

/** The stage that decides what is deployed, or that the Release is pinned; empty: it follows its ref. Pure. */
function describePinned(spec: ReleaseObject["spec"]): readonly string[] {
  const stage = stageOf(spec);
  if (stage !== undefined) return [`of ${describeStage(stage)}`];
  return spec.revision === undefined ? [] : ["pinned"];
}

/** A Release in one line: `Release shop/web is Ready at 1a2b3c4d5e (Add a shop)`. Pure. */
export function describeRelease(release: ReleaseObject): string {
  const { status, spec } = release;
  const ready = conditionOf(release, "Ready");
  const state =
    ready === undefined ? "is new" : ready.status === "True" ? "is Ready" : `is not ready (${ready.reason})`;
  const revision = status?.revision;
  const subject = historyOf(release).find((entry) => entry.revision === revision)?.subject;
  const at = revision === undefined ? "" : ` at ${shortCommit(revision)}${subject ? ` (${subject})` : ""}`;
  const sourced = conditionOf(release, "Sourced");
  // If the Release is not ready, the state contains it.
  const isWithoutSource = ready?.status === "True" && sourced?.status === "False";
  const marks = [
    spec.suspend ? "suspended" : [],
    describePinned(spec),
    isWithoutSource ? `source unavailable (${sourced.reason})` : [],
  ].flat();
  const marked = marks.length === 0 ? "" : `, ${marks.join(", ")}`;
  return printable(`Release ${labelOfRelease(release)} ${state}${at}${marked}`);
}
