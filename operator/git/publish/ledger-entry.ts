import type { FolderFiles } from "../../engine/git-objects.ts";
import type { PublishFailure, PublishOffer, PublishState } from "../../ports.ts";

/** The manifests that a resource publishes, and the last report to its owner. Compact once they are on the branch. */
export interface LedgerEntry {
  owner: PublishOffer["owner"];
  title: string;
  generation: number;
  digest: string;
  /** Desired tree id of the folder. */
  tree: string;
  commit: string | undefined;
  /** Set only while the files are to be committed. */
  files: FolderFiles | undefined;
  /** Set only together with the files. */
  trailers: readonly string[] | undefined;
  /** Set only together with the files. */
  origin: PublishOffer["origin"] | undefined;
  sinceMs: number;
  /** The last answer as {@link toText} writes it, to detect changes. */
  told: string;
}

/** Why nothing can be published. */
export interface Failure {
  readonly reason: PublishFailure;
  readonly message: string;
}

/** The state that is reported to the owner of an entry. Pure. */
export function stateOf(
  { digest, tree, commit = "", sinceMs }: LedgerEntry,
  { isOnBranch, failure }: { readonly isOnBranch: boolean; readonly failure: Failure | undefined },
): PublishState {
  if (isOnBranch) return { state: "published", record: { digest, tree, commit } };
  return failure === undefined ? { state: "pending", sinceMs } : { state: "failed", ...failure };
}

/** A state as text, to detect changes. Pure. */
export function toText(state: PublishState): string {
  if (state.state === "published")
    return `${state.record.digest} ${state.record.tree} ${state.record.commit}`;
  return state.state === "pending" ? "pending" : `${state.reason} ${state.message}`;
}
