import { faultTexts, isWireFault } from "./fault-types.ts";
import type { Edit, Fault, Schedule } from "./schedule.ts";

/** Describes a schedule for users, in chronological order. Pure. */
export function describeSchedule({ seed, protocol, start, edits, faults, endMs }: Schedule): string {
  const lines = [
    ...edits.map((edit) => ({ atMs: edit.atMs, text: describeEdit(edit) })),
    ...faults.map((fault) => ({ atMs: fault.atMs, text: describeFault(fault) })),
    { atMs: endMs, text: "all faults end" },
  ].toSorted((a, b) => a.atMs - b.atMs);
  const head = `schedule ${seed}: two operators over ${protocol}, started ${start}`;
  return [head, ...lines.map(({ atMs, text }) => `  ${String(atMs).padStart(5)} ms  ${text}`)].join("\n");
}

function describeEdit({ does, kind, name, version, size }: Edit): string {
  const what = {
    apply: "apply",
    delete: "delete",
    "delete-child": "delete the child of",
    "edit-child": "edit the child of",
  };
  return `${what[does]} ${kind} ${name}${does === "apply" ? ` v${version} size ${size}` : ""}`;
}

function describeFault({ type, forMs, target, traffic, share, amount }: Fault): string {
  const who = target === "both" ? "" : ` operator ${target}`;
  const which = isWireFault(type) ? ` ${traffic} ${share * 100} %` : "";
  return `FAULT ${type} for ${forMs} ms${who}${which} amount ${amount.toFixed(2)} (${faultTexts[type]})`;
}
