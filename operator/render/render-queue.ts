import { toMilliseconds } from "../../crds/duration.ts";
import type { RenderRequest } from "../desire/release/ports.ts";
import type { Clock } from "../ports.ts";
import { FairSlots, type Slot } from "../sandbox/program/fair-slots.ts";
import { ProgramQuotas } from "./program-quotas.ts";

export interface RenderQueueOptions {
  readonly clock: Clock;
  /** Longest run of a program, whatever its Release asks for. */
  readonly longestProgramMs: number;
  /** Programs of the namespace wait for their quota: {@link RenderQueue.quotas} says until when. */
  readonly onUsedUp: (namespace: string) => void;
}

/** The time in which a render runs. */
export interface RenderTurn {
  /** The program's process starts to work for it, or has ended its work. */
  readonly note: (isRunning: boolean) => void;
  readonly end: () => void;
}

/** Renders of one namespace at a time. Folders wait for git more than they work. */
const [MANIFEST_SLOTS, PROGRAM_SLOTS] = [8, 4];
const without = Number.POSITIVE_INFINITY;
/** What took long begins so much later: a process and a bundle for it are no work for the moment after a push. */
const SLOW_PAUSE_MS = 500;

/** Where renders wait until they may run: for a place of their namespace, and programs for its quota. */
export class RenderQueue {
  readonly quotas: ProgramQuotas;
  /** Keys of Releases whose programs take long. */
  readonly slowKeys = new Set<string>();
  readonly #options: RenderQueueOptions;
  // No namespace waits for another one here: what all of them share is bounded where it is used.
  readonly #manifestSlots = new FairSlots({ all: without, perTenant: MANIFEST_SLOTS });
  readonly #programSlots = new FairSlots({ all: without, perTenant: PROGRAM_SLOTS });
  readonly #slowSlots = new FairSlots({ all: without, perTenant: 1 });

  constructor(options: RenderQueueOptions) {
    this.#options = options;
    this.quotas = new ProgramQuotas(options);
  }

  /** Calls `begin` as soon as the render may run, perhaps at once. @returns Cancels the request, if it has not begun. */
  ask(request: RenderRequest, begin: (turn: RenderTurn) => void): () => void {
    const { render, namespace, key } = request;
    let leave = (): void => {};
    const wait = (slots: FairSlots): void => {
      let hasPlace = false;
      const leaveSlots = slots.ask(namespace, (slot) => {
        hasPlace = true;
        leave = this.#begin(request, slot, begin);
      });
      if (!hasPlace) leave = leaveSlots;
    };
    if (render.program === undefined) wait(this.#manifestSlots);
    else if (!this.slowKeys.has(key)) wait(this.#programSlots);
    else leave = this.#options.clock.schedule(SLOW_PAUSE_MS, () => wait(this.#slowSlots));
    return () => leave();
  }

  /** Programs beyond the quota of their namespace wait with their places, which only that namespace has. */
  #begin(
    { render: { program }, namespace }: RenderRequest,
    slot: Slot,
    begin: (turn: RenderTurn) => void,
  ): () => void {
    if (program === undefined) {
      begin({ note: () => {}, end: () => slot.release() });
      return () => {};
    }
    const mostMs = Math.min(toMilliseconds(program.timeout), this.#options.longestProgramMs);
    let hasBegun = false;
    const leave = this.quotas.ask(namespace, mostMs, (run) => {
      hasBegun = true;
      const end = (): void => {
        slot.release();
        run.end();
      };
      begin({ note: run.note, end });
    });
    return () => {
      if (hasBegun) return;
      leave();
      slot.release();
    };
  }
}
