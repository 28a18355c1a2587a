import type { AuditedRequest } from "./audit-tail.ts";
import type { SentWrite } from "./journal.ts";

/** A client that is not an operator changed the Lease, at some time in between: its holder may not know for a while. */
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
  /** Writes that were sent in time, held up on their way, and accepted after the Lease had changed hands. */
  readonly late: readonly string[];
  readonly accepted: number;
}

interface Claim {
  readonly incarnation: string;
  readonly holder: string;
  readonly sentMs: number;
  readonly doneMs: number;
}

/** Compares what the API server accepted with who held the Lease when it was sent. Pure. */
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

/** No instance has taken the Lease since our own last claim, or another client did by force and we cannot know yet. */
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
      ? "nobody had the Lease"
      : `the Lease was ${last.incarnation}'s ("${last.holder}") for ${arrivedMs - last.doneMs} ms`;
  return `operator ${incarnation}: ${method} ${path} when ${who}`;
}
