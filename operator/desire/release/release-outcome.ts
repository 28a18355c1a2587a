import type { ApplyOutcome } from "../../engine/outcome.ts";
import type { SourceFailure } from "../../errors.ts";
import type { SourceCommit } from "../../git/source/ports.ts";
import type { FolderState } from "./deployed-revision.ts";

/** How a reconcile of a Release ended. */
export type ReleaseOutcome =
  /** It came to applying, or waits for what must be there before. */
  | ApplyOutcome
  /** Nothing is known of the source yet, or it is being rendered. `isLong`: for so long that a deployed Release reports it. */
  | { readonly state: "pending"; readonly message: string; readonly isLong?: boolean }
  /** The desired revision is unavailable or cannot be rendered; the deployed one stays. */
  | {
      readonly state: "unsourced";
      readonly failure: SourceFailure;
      /** Value of `fairlead.dev/requested-at` that the look was made for. */
      readonly handledRequest?: string | undefined;
    }
  /** `spec.suspend`: everything is left as it is. */
  | { readonly state: "suspended" }
  /** It is being deleted; `message` says which objects are waited for. */
  | { readonly state: "deleting"; readonly message: string };

/** State of a Release's source. */
export interface SourceReport {
  readonly head: SourceCommit;
  /** The newest commit that changed what is deployed. */
  readonly changed: SourceCommit;
  /** Of the folder; undefined: it is not known. */
  readonly folder?: FolderState | undefined;
  /** The last look failed: what is known still holds. */
  readonly stale?: SourceFailure | undefined;
  /** Value of `fairlead.dev/requested-at` that the last look was made for. */
  readonly handledRequest?: string | undefined;
}

/** So much of a commit's id is shown to people. */
export function shortId(commit: string): string {
  return commit.slice(0, 12);
}
