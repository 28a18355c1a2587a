import type { RemoteUrl } from "../remote-url.ts";
import type { CreateSourcesOptions } from "./create-sources.ts";
import type { PollPermits } from "./poll-permits.ts";
import type { SecretData } from "./tenant.ts";
import type { SourceLimits } from "./tree-files.ts";

/** Counters since the start. */
export interface SourceStats {
  lsRemotes: number;
  fetches: number;
  /** Times that a clone was recreated. */
  rebuilds: number;
  /** resources that were told of something new. */
  told: number;
}

/** The disk of one clone. */
export interface CloneDisk {
  /** Bytes by which the clone may grow. @throws SourceError if it may not grow */
  readonly room: () => number;
  /** The clone has this size now. */
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
  /** Disk that the clone may take beside those of others. Default: as much as its limits say. */
  readonly disk?: CloneDisk | undefined;
  readonly polls: PollPermits;
  readonly stats: SourceStats;
}
