import type { FolderFiles } from "../../engine/git-objects.ts";
import type { PublishOffer, PublishState } from "../../ports.ts";

/** The manifests that a resource publishes, and the last report to its owner. Compact once they are on the branch. */
export interface LedgerEntry {
  owner: PublishOffer["owner"];
  title: string;
  generation: number;
  digest: string;
  /** Tree id of the folder as it should be. */
  tree: string;
  commit: string | undefined;
  /** Only while they are to be committed. */
  files: FolderFiles | undefined;
  /** Only with them. */
  trailers: readonly string[] | undefined;
  /** Only with them. */
  origin: PublishOffer["origin"] | undefined;
  sinceMs: number;
  /** The last answer as {@link toText} writes it, to see when it changes. */
  told: string;
}

/** A state as text, to see when it changes. */
export function toText(state: PublishState): string {
  if (state.state === "published")
    return `${state.record.digest} ${state.record.tree} ${state.record.commit}`;
  return state.state === "pending" ? "pending" : `${state.reason} ${state.message}`;
}
