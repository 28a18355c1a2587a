import type { RemoteUrl } from "../remote-url.ts";
import type { CreateSourcesOptions } from "./create-sources.ts";
import type { PollPermits } from "./poll-permits.ts";
import type { SecretData } from "./tenant.ts";
import type { SourceLimits } from "./tree-files.ts";

/** Counters since the start. */
export interface SourceStats {
  polls: number;
  fetches: number;
  /** Number of times that a clone was recreated. */
  rebuilds: number;
  /** Resources that were notified of a change. */
  notified: number;
}

/** The disk quota of one clone. */
export interface CloneDisk {
  /** Bytes by which the clone may grow. @throws SourceError if it may not grow */
  readonly room: () => number;
  /** Records the size of the clone. */
  readonly note: (bytes: number) => void;
}

export interface SourceRepositoryOptions
  extends Pick<
    CreateSourcesOptions,
    "clock" | "random" | "log" | "environment" | "timeoutMs" | "confine" | "onChange"
  > {
  readonly remote: RemoteUrl;
  readonly tenant: string;
  readonly secret: SecretData | undefined;
  /** Folder of the clone. */
  readonly base: string;
  readonly limits: SourceLimits;
  /** Disk quota of the clone among the others. Default: only its own limits apply. */
  readonly disk?: CloneDisk | undefined;
  readonly polls: PollPermits;
  readonly stats: SourceStats;
}
