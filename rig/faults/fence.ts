import type { AuditedRequest } from "./audit-tail.ts";
import type { SentWrite } from "./journal.ts";

/** A change of the Lease by a client that is not an operator, within this period. The holder may not know it for a while. */
export interface ForcedChange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface FenceInput {
  readonly sent: readonly SentWrite[];
  readonly audited: readonly AuditedRequest[];
  readonly forced: readonly ForcedChange[];
  readonly renewDeadlineMs: number;
}

export interface FenceFindings {
  /** Writes that were accepted, and sent when another instance held the Lease, or none. */
  readonly unfenced: readonly string[];
  /** Writes that were sent in time, delayed, and accepted after another instance had acquired the Lease. */
  readonly late: readonly string[];
  readonly accepted: number;
}

interface Claim {
  readonly incarnation: string;
  readonly holder: string;
  readonly sentMs: number;
  readonly doneMs: number;
}

/** Compares the accepted writes with the holder of the Lease at the time when each was sent. Pure. */
export function checkFence({ sent, audited, forced, renewDeadlineMs }: FenceInput): FenceFindings {
  const accepted = new Map(
    audited
      .filter(({ responseStatus }) => (responseStatus?.code ?? 500) < 300)
      .map((event) => [event.auditID, event] as const),
  );
  const writes = sent.flatMap((write) => {
    const event = accepted.get(write.auditId);
    return event === undefined ? [] : [{ write, doneMs: Date.parse(event.stageTimestamp) }];
  });
  const claims: Claim[] = writes
    .filter(({ write }) => write.holder !== undefined)
    .map(({ write, doneMs }) => ({
      incarnation: write.incarnation,
      holder: write.holder ?? "",
      sentMs: write.arrivedMs,
      doneMs,
    }))
    .toSorted((a, b) => a.doneMs - b.doneMs);
  const unfenced: string[] = [];
  const late: string[] = [];
  const objects = writes.filter(({ write }) => write.holder === undefined);
  for (const { write, doneMs } of objects) {
    const before = claims.filter((claim) => claim.doneMs <= write.arrivedMs);
    const own = claims.findLast(
      ({ incarnation, holder, sentMs }) =>
        incarnation === write.incarnation && holder !== "" && sentMs <= write.arrivedMs,
    );
    const last = before.at(-1);
    const isAllowed =
      own !== undefined && (last === undefined || isLed(last, own, write, { forced, renewDeadlineMs }));
    if (!isAllowed) unfenced.push(describe(write, last));
    else if (
      claims.some(
        (claim) =>
          claim.incarnation !== write.incarnation && claim.doneMs > write.arrivedMs && claim.doneMs < doneMs,
      )
    )
      late.push(describe(write, last));
  }
  return { unfenced, late, accepted: objects.length };
}

/** Whether no other instance has acquired the Lease since our last claim, or only a forced change that we cannot know yet. */
function isLed(
  last: Claim,
  own: Claim,
  write: SentWrite,
  { forced, renewDeadlineMs }: Pick<FenceInput, "forced" | "renewDeadlineMs">,
): boolean {
  if (last.incarnation === write.incarnation) return last.holder !== "";
  if (last.doneMs <= own.doneMs) return true;
  const isForced = forced.some(({ fromMs, toMs }) => toMs >= own.sentMs && fromMs <= last.doneMs);
  return isForced && write.arrivedMs - own.sentMs < renewDeadlineMs + 200;
}

function describe({ incarnation, method, path, arrivedMs }: SentWrite, last: Claim | undefined): string {
  const who =
    last === undefined
      ? "no instance had the Lease"
      : `the Lease was ${last.incarnation}'s ("${last.holder}") for ${arrivedMs - last.doneMs} ms`;
  return `operator ${incarnation}: ${method} ${path} when ${who}`;
}
