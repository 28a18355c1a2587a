import type { ApplyOutcome } from "../../engine/outcome.ts";
import type { SourceFailure } from "../../errors.ts";
import type { SourceCommit } from "../../git/source/ports.ts";
import type { FolderState } from "./deployed-revision.ts";

/** Result of a reconcile of a Release. */
export type ReleaseOutcome =
  /** Objects were applied, or the Release waits for objects that must exist before. */
  | ApplyOutcome
  /**
   * The Release waits for its source, its render or the rules of the platform. A deployed Release reports this only if `isLong` is
   * set, after a long wait. `isFetched`: it waits for the render of a source that is fetched.
   */
  | {
      readonly state: "pending";
      readonly message: string;
      readonly isLong?: boolean;
      readonly isFetched?: boolean;
    }
  /** The desired revision is unavailable or cannot be rendered. The deployed one stays. */
  | {
      readonly state: "unsourced";
      readonly failure: SourceFailure;
      /** Value of `fairlead.dev/requested-at` for which the source was polled. */
      readonly handledRequest?: string | undefined;
    }
  /** `spec.suspend`: nothing is changed. */
  | { readonly state: "suspended" }
  /** The Release is being deleted. `message` names the objects for which it waits. */
  | { readonly state: "deleting"; readonly message: string };

/** State of a Release's source. */
export interface SourceReport {
  readonly head: SourceCommit;
  /** The newest commit that changed the deployed files. */
  readonly changed: SourceCommit;
  /** State of the folder; undefined: it is not known. */
  readonly folder?: FolderState | undefined;
  /** Failure of the last poll. The last known state still applies. */
  readonly stale?: SourceFailure | undefined;
  /** Value of `fairlead.dev/requested-at` for which the source was last polled. */
  readonly handledRequest?: string | undefined;
}
