import { createHash } from "node:crypto";
import type { FolderClaim } from "../ports.ts";

/** A sweep that removes at most so many folders never needs approval. */
const HARMLESS_FOLDERS = 3;

export interface SweepInput {
  /** Folders below our root that have the layout of a resource. */
  readonly folders: Iterable<string>;
  readonly claimOf: (folder: string) => FolderClaim;
  /** Id of an approved sweep. */
  readonly approved: string | undefined;
}

export interface SweepPlan {
  /** Folders to remove now, sorted. */
  readonly remove: readonly string[];
  /** Set when too much would go at once: nothing is removed until a user approves `id`. */
  readonly held: HeldSweep | undefined;
}

export interface HeldSweep {
  /** Names exactly this list of folders; another list has another id. */
  readonly id: string;
  /** Folders that would go … */
  readonly gone: number;
  /** … of this total number of folders. */
  readonly folders: number;
}

/**
 * Decides which folders of resources that no longer exist are removed. Only `gone` ones are; more than half of the
 * folders at once is probably a mistake (the wrong cluster, a CRD deleted by accident) and waits for approval. Pure.
 */
export function planSweep({ folders, claimOf, approved }: SweepInput): SweepPlan {
  const gone: string[] = [];
  let ours = 0;
  for (const folder of folders) {
    const claim = claimOf(folder);
    if (claim !== "unknown") ours++;
    if (claim === "gone") gone.push(folder);
  }
  gone.sort();
  if (gone.length <= HARMLESS_FOLDERS || gone.length * 2 <= ours) return { remove: gone, held: undefined };
  // With this prefix YAML does not read the id as a number.
  const id = `sweep-${createHash("sha256").update(gone.join("\n")).digest("hex").slice(0, 12)}`;
  if (id === approved) return { remove: gone, held: undefined };
  return { remove: [], held: { id, gone: gone.length, folders: ours } };
}

/** Whether a path below our root looks like a resource's folder: `<namespace>/<plural>.<group>/<name>`. */
export function isResourceFolder(path: string): boolean {
  return /^[^/.][^/]*\/[^/.][^/]*\.[^/]+\/[^/]+$/.test(path);
}
