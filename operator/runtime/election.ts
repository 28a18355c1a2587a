import type { Fence, LeaseTerm } from "../ports.ts";

/** `lost`: another instance may lead now, so end the process. `stopped`: it was requested. */
export type StoppedLeading = "lost" | "stopped";

/** The leading instance: this one, another one that publishes its address for hooks, or an unknown one. */
export type LeaderPlace = "self" | { readonly address: string } | undefined;

/** Decides which instance may write. Either a {@link LeaderElector} or, for an operator that runs alone, {@link NoElection}. */
export interface Election {
  /** Called before every write. */
  readonly fence: Fence;
  readonly isLeading: boolean;
  /** Undefined while this instance does not lead, and without election. */
  readonly term: LeaseTerm | undefined;
  readonly leader: LeaderPlace;
  /** Resolves when the first attempt to lead has ended, with any result. */
  readonly tried: Promise<void>;
  /** Resolves when this instance leads for the first time. */
  readonly elected: Promise<void>;
  start(): void;
  /** Ends writing, then releases the lease. Call it after the last write. Never rejects. */
  stop(): Promise<void>;
  /** Ends writing, and lets the lease expire: the last write may still be in progress. */
  stopRenewing(): void;
  /** For a liveness probe: throws when this instance leads but its last renewal is too old. */
  checkRenewal(): void;
}

/** Always leads. */
export class NoElection implements Election {
  readonly fence: Fence = { check() {} };
  readonly isLeading = true;
  readonly term = undefined;
  readonly leader = "self";
  readonly tried = Promise.resolve();
  readonly elected = Promise.resolve();

  start(): void {}

  async stop(): Promise<void> {}

  stopRenewing(): void {}

  checkRenewal(): void {}
}
