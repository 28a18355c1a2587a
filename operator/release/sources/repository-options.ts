import type { RemoteUrl } from "../../git/remote-url.ts";
import type { Clock, Logger, Random } from "../../ports.ts";
import type { LookSlots } from "./look-slots.ts";
import type { SecretData } from "./secret-credentials.ts";
import type { SourceLimits } from "./tree-files.ts";

/** Counters since the start. */
export interface SourceStats {
  lsRemotes: number;
  fetches: number;
  /** Times that a clone was made anew. */
  rebuilds: number;
  /** Releases that were told of something new. */
  told: number;
}

export interface SourceRepositoryOptions {
  readonly remote: RemoteUrl;
  readonly tenant: string;
  readonly secret: SecretData | undefined;
  /** Folder of the clone. */
  readonly base: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: SourceLimits;
  readonly timeoutMs: number;
  readonly slots: LookSlots;
  readonly stats: SourceStats;
  readonly onChange: (keys: readonly string[]) => void;
}
