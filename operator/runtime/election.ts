import type { Fence, LeaseTerm } from "../ports.ts";

/** `lost`: another instance may lead now, so end the process. `stopped`: we asked for it. */
export type StoppedLeading = "lost" | "stopped";

/** The leading instance: this one, another one that publishes where it takes hooks, or an unknown one. */
export type LeaderPlace = "self" | { readonly address: string } | undefined;

/** Decides which instance may write. Either a {@link LeaderElector} or, for an operator that runs alone, {@link NoElection}. */
export interface Election {
  /** In front of every write. */
  readonly fence: Fence;
  readonly isLeading: boolean;
  /** Undefined while we do not lead, and without election. */
  readonly term: LeaseTerm | undefined;
  readonly leader: LeaderPlace;
  /** Resolves when the first try to lead is over, whatever came of it. */
  readonly tried: Promise<void>;
  /** Resolves when this instance leads for the first time; never, if it does not. */
  readonly elected: Promise<void>;
  start(): void;
  /** Ends writing, then gives the lease up. Call it after the last write. Never rejects. */
  stop(): Promise<void>;
  /** Ends writing, and leaves the lease to expire: the last write may still be under way. */
  stopRenewing(): void;
  /** For a liveness probe: throws when this instance leads but has long stopped to renew. */
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
