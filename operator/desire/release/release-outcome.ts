import type { ApplyOutcome } from "../../engine/outcome.ts";
import type { SourceFailure } from "../../errors.ts";
import type { SourceCommit } from "../../git/source/ports.ts";
import type { FolderState } from "./deployed-revision.ts";

/** Result of a reconcile of a Release. */
export type ReleaseOutcome =
  /** Objects were applied, or it waits for objects that must exist before. */
  | ApplyOutcome
  /** Nothing is known of the source yet, or it is being rendered. `isLong`: for so long that a deployed Release reports it. */
  | { readonly state: "pending"; readonly message: string; readonly isLong?: boolean }
  /** The desired revision is unavailable or cannot be rendered; the deployed one stays. */
  | {
      readonly state: "unsourced";
      readonly failure: SourceFailure;
      /** Value of `fairlead.dev/requested-at` for which the source was polled. */
      readonly handledRequest?: string | undefined;
    }
  /** `spec.suspend`: everything is left as it is. */
  | { readonly state: "suspended" }
  /** It is being deleted; `message` names the objects that it waits for. */
  | { readonly state: "deleting"; readonly message: string };

/** State of a Release's source. */
export interface SourceReport {
  readonly head: SourceCommit;
  /** The newest commit that changed the deployed files. */
  readonly changed: SourceCommit;
  /** Of the folder; undefined: it is not known. */
  readonly folder?: FolderState | undefined;
  /** The last poll failed: the known state still holds. */
  readonly stale?: SourceFailure | undefined;
  /** Value of `fairlead.dev/requested-at` for which the source was last polled. */
  readonly handledRequest?: string | undefined;
}

/** Number of characters of a commit id in messages. */
export function shortId(commit: string): string {
  return commit.slice(0, 12);
}
