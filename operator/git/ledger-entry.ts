import type { FolderFiles } from "../engine/git-objects.ts";
import type { PublishOffer } from "../ports.ts";

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
  /** The last answer, as text, to see when it changes. */
  told: string;
}
