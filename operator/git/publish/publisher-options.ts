import type { Announcement } from "../../engine/transitions.ts";
import type {
  Clock,
  Fence,
  FolderClaim,
  LeaseTerm,
  Logger,
  Publisher,
  PublishFailure,
  PublishOffer,
  Random,
} from "../../ports.ts";
import type { BranchClone } from "./branch-clone.ts";
import type { RootOwner } from "./owner-file.ts";
import type { SweepState } from "./sweeper.ts";

export interface GitPublisherOptions {
  /** The clone of the branch; the publisher closes it. */
  readonly clone: BranchClone;
  /** Folder in the repository, without leading and trailing slashes; empty for the repository itself. */
  readonly root: string;
  /** The operator that may write below the root: this one. */
  readonly owner: RootOwner;
  /** Version of the operator, for the commit trailer. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fence: Fence;
  /** The fencing term; undefined without leader election. */
  readonly term: () => LeaseTerm | undefined;
  /** Reads the Lease: whether this instance holds it. Called when a commit with a later term is found. */
  readonly confirmLeadership: () => Promise<boolean>;
  /** The known state of the resource of a folder. */
  readonly claimOf: (folder: string) => FolderClaim;
  /** Called when the states for these owners have changed. */
  readonly onChange: (owners: readonly PublishOffer["owner"][]) => void;
  /** Reports once what concerns all resources: that publishing fails, that it has recovered, a held sweep. */
  readonly announce?: (event: Announcement) => void;
}

export interface GitPublisher extends Publisher {
  /** Starts polling the remote. Until the first response, offers are pending or have the result in their status. */
  start(): void;
  /** Called when all stores are filled: from then on, folders of deleted resources may be removed. */
  sweep(): void;
  /** Commits and pushes pending changes, for at most `flushMs`, then kills every git process. */
  close(options: { readonly flushMs: number }): Promise<void>;
  readonly sweepState: SweepState;
  readonly stats: PublisherStats;
}

/** Counters since the start, for metrics. */
export interface GitStats {
  commits: number;
  /** Commits that are on the branch. */
  pushed: number;
  pushes: number;
  /** Pushes that the remote rejected. */
  refused: number;
  /** Pushes that found another commit at the head, and were repeated on top of it. */
  retried: number;
  lsRemotes: number;
  fetches: number;
  /** Number of times that the clone was recreated. */
  rebuilds: number;
}

export function noStats(): GitStats {
  const pushes = { pushes: 0, refused: 0, retried: 0 };
  return { commits: 0, pushed: 0, ...pushes, lsRemotes: 0, fetches: 0, rebuilds: 0 };
}

/** For metrics: counters since the start, and the current state. */
export interface PublisherStats extends Readonly<GitStats> {
  readonly pending: number;
  /** How long the oldest pending change has been waiting; 0: nothing is pending. */
  readonly oldestPendingMs: number;
  /** Why nothing can be published at the moment. */
  readonly failing: PublishFailure | undefined;
  /** Folders of a sweep that waits for approval. */
  readonly heldFolders: number;
}
