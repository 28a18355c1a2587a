import { instantMs, type KindClock } from "../../crds/kind-context.ts";
import { lastReached } from "./last-reached.ts";
import { type Recurrence, type RecurrenceSpec, readRecurrence } from "./recurrence.ts";

/** A window in which a stage may start (allow), or may not (deny). */
export interface WindowSpec {
  readonly allow?: RecurrenceSpec | undefined;
  readonly deny?: RecurrenceSpec | undefined;
}

export interface WindowsInput {
  /** Empty: always open. */
  readonly windows: readonly WindowSpec[];
  /**
   * An instant in the past, such as the creation of the resource. The search for the current state starts there.
   */
  readonly anchor: string | Date;
  /** Called with the instant at which the state may change. */
  readonly clock: KindClock;
}

/** Whether a stage may begin now. */
export interface WindowsState {
  readonly isOpen: boolean;
  /** When it opened or closed, RFC 3339. Undefined: long ago, or never. */
  readonly since?: string;
  /** When it will close or open. Undefined: not within a year, or only after an edit. */
  readonly until?: string;
  /** For users: whether it is open, and why not. */
  readonly message: string;
}

/** Maximum number of adjacent spans in a search for the next change, and of edges in a search back, which is slower. */
const most = { spansAhead: 512, edgesBack: 16 } as const;
const horizonMs = 366 * 24 * 3_600_000;

/**
 * Whether the windows of a stage are open. A deny window has precedence over an allow window, and without allow windows
 * everything is allowed. An unreadable window closes the stage. Pure.
 */
export function assessWindows({ windows, anchor, clock }: WindowsInput): WindowsState {
  if (windows.length === 0) return { isOpen: true, message: "there are no windows" };
  const read = windows.map(readWindow);
  const problems = read.filter((one) => typeof one === "string");
  if (problems.length > 0)
    return { isOpen: false, message: `the windows are closed: ${problems.join("; ")}` };
  const line = new Timeline(read.filter((one) => typeof one !== "string"));
  const nowMs = line.latestReached(instantMs(anchor), clock);
  const isOpen = line.isOpenAt(nowMs);
  const [sinceMs, untilMs] = [line.changeUntil(nowMs), line.changeAfter(nowMs)];
  // The clock has been called with the edges before it, so this is the next change.
  const until = untilMs === undefined ? undefined : textOf(untilMs);
  if (until !== undefined) clock.reached(until);
  return {
    isOpen,
    ...(sinceMs !== undefined && { since: textOf(sinceMs) }),
    ...(until !== undefined && { until }),
    message: messageOf(line, { nowMs, until }),
  };
}

/** Why windows cannot be evaluated, one text for each. Pure. */
export function describeUnreadable(windows: readonly WindowSpec[]): readonly string[] {
  return windows.map(readWindow).filter((one) => typeof one === "string");
}

interface ReadWindow {
  readonly isAllow: boolean;
  readonly recurrence: Recurrence;
}

function readWindow({ allow, deny }: WindowSpec): ReadWindow | string {
  const spec = allow ?? deny;
  if (spec === undefined || (allow !== undefined && deny !== undefined))
    return "a window must have either allow or deny";
  const recurrence = readRecurrence(spec);
  return typeof recurrence === "string" ? recurrence : { isAllow: allow !== undefined, recurrence };
}

/** The combined state of all windows of a stage over time. */
class Timeline {
  readonly allows: readonly Recurrence[];
  readonly denies: readonly Recurrence[];
  readonly #all: readonly Recurrence[];

  constructor(windows: readonly ReadWindow[]) {
    const of = (wanted: boolean) =>
      windows.filter(({ isAllow }) => isAllow === wanted).map(({ recurrence }) => recurrence);
    [this.allows, this.denies] = [of(true), of(false)];
    this.#all = [...this.allows, ...this.denies];
  }

  isOpenAt(atMs: number): boolean {
    const isOpen = (one: Recurrence): boolean => one.isOpenAt(atMs);
    return (this.allows.length === 0 || this.allows.some(isOpen)) && !this.denies.some(isOpen);
  }

  /** An instant with the current state: the last edge that has passed, or the anchor. */
  latestReached(anchorMs: number, clock: KindClock): number {
    const isReached = (edgeMs: number): boolean => clock.reached(new Date(edgeMs));
    const first = this.#edgeAfter(anchorMs);
    if (first === undefined || !isReached(first)) return anchorMs;
    return lastReached((atMs) => this.#edgeAfter(atMs), { isReached, from: first });
  }

  /** The first change of the state after an instant; undefined: too far in the future, or after too many adjacent spans. */
  changeAfter(atMs: number): number | undefined {
    const lastMs = atMs + horizonMs;
    const next = this.isOpenAt(atMs) ? this.#closingAfter(atMs) : this.#openingAfter(atMs, lastMs);
    return next === undefined || next > lastMs ? undefined : next;
  }

  /** Skips each deny span, and each time without an allow span, as a whole: edges in between do not open the windows. */
  #openingAfter(atMs: number, lastMs: number): number | undefined {
    let fromMs = atMs;
    for (let count = 0; count <= most.spansAhead; count += 1) {
      const denied = last(this.denies.map((one) => one.endOfOpen(fromMs)));
      if (denied === undefined && this.isOpenAt(fromMs)) return fromMs;
      const nextMs = denied ?? first(this.allows.map((one) => one.startAfter(fromMs)));
      if (nextMs === undefined || nextMs > lastMs) return undefined;
      fromMs = nextMs;
    }
    return undefined;
  }

  /** The next beginning of a deny span, or the end of adjacent allow spans. */
  #closingAfter(atMs: number): number | undefined {
    const deniedMs = first(this.denies.map((one) => one.startAfter(atMs)));
    if (this.allows.length === 0) return deniedMs;
    let untilMs = atMs;
    for (let count = 0; count <= most.spansAhead; count += 1) {
      if (deniedMs !== undefined && untilMs >= deniedMs) return deniedMs;
      const allowed = last(this.allows.map((one) => one.endOfOpen(untilMs)));
      if (allowed === undefined) return untilMs;
      untilMs = allowed;
    }
    return undefined;
  }

  /** The last change of the state at or before an instant; undefined: too long ago. */
  changeUntil(atMs: number): number | undefined {
    const isOpen = this.isOpenAt(atMs);
    let edgeMs = this.#edgeUntil(atMs);
    for (let count = 0; count < most.edgesBack; count += 1) {
      if (edgeMs === undefined || edgeMs < atMs - horizonMs) return undefined;
      // Edges are whole milliseconds.
      if (this.isOpenAt(edgeMs - 1) !== isOpen) return edgeMs;
      edgeMs = this.#edgeUntil(edgeMs - 1);
    }
    return undefined;
  }

  #edgeAfter(atMs: number): number | undefined {
    return first(this.#all.map((one) => one.edgeAfter(atMs)));
  }

  #edgeUntil(atMs: number): number | undefined {
    return last(this.#all.map((one) => one.edgeUntil(atMs)));
  }
}

function first(instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function last(instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function messageOf(
  { allows, denies }: Timeline,
  { nowMs, until }: { readonly nowMs: number; readonly until: string | undefined },
): string {
  const to = until === undefined ? "" : ` until ${until}`;
  const denied = denies.find((one) => one.isOpenAt(nowMs));
  if (denied !== undefined) return `the windows are closed${to}: deny ${denied.text}`;
  if (allows.length === 0 || allows.some((one) => one.isOpenAt(nowMs))) return `the windows are open${to}`;
  return `the windows are closed${to}: allow ${allows.map(({ text }) => text).join(", ")}`;
}

function textOf(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.000Z$/, "Z");
}
