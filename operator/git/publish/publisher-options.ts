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
  /** Folder in the repository, without slashes at its ends; empty for the repository itself. */
  readonly root: string;
  /** Who may write below the root: us. */
  readonly owner: RootOwner;
  /** Our version, for the commit trailer. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fence: Fence;
  /** The fencing term; undefined without leader election. */
  readonly term: () => LeaseTerm | undefined;
  /** Reads the Lease: do we really hold it? Asked when a commit of a later leader is found. */
  readonly confirmLeadership: () => Promise<boolean>;
  /** What is known of the resource behind a folder. */
  readonly claimOf: (folder: string) => FolderClaim;
  /** The answers for these owners are other ones than they were told. */
  readonly onChange: (owners: readonly PublishOffer["owner"][]) => void;
  /** Tells once what concerns all resources: that nothing can be published, that it works again, a held sweep. */
  readonly announce?: (event: Announcement) => void;
}

export interface GitPublisher extends Publisher {
  /** Begins to look at the remote. Until then, and until it answers, offers are pending or as their status says. */
  start(): void;
  /** All stores are filled: folders whose resources are gone may go. */
  sweep(): void;
  /** Commits and pushes what is pending, for at most `flushMs`, then ends every git process. */
  close(options: { readonly flushMs: number }): Promise<void>;
  readonly sweepState: SweepState;
  readonly stats: PublisherStats;
}

/** Counters since the start, for metrics. */
export interface GitStats {
  commits: number;
  /** Commits that are on the branch. */
  landed: number;
  pushes: number;
  /** Pushes that the remote would not have. */
  refused: number;
  /** Pushes that found another commit at the head, and were made again on top of it. */
  retried: number;
  lsRemotes: number;
  fetches: number;
  /** Times that the clone was recreated. */
  rebuilds: number;
}

export function noStats(): GitStats {
  const pushes = { pushes: 0, refused: 0, retried: 0 };
  return { commits: 0, landed: 0, ...pushes, lsRemotes: 0, fetches: 0, rebuilds: 0 };
}

/** For metrics: counters since the start, and how it is now. */
export interface PublisherStats extends Readonly<GitStats> {
  readonly pending: number;
  /** How long the oldest of what is pending waits; 0: nothing is. */
  readonly oldestPendingMs: number;
  /** Why nothing can be published at the moment. */
  readonly failing: PublishFailure | undefined;
  /** Folders of a sweep that waits for approval. */
  readonly heldFolders: number;
}
