import { createHash } from "node:crypto";
import type { FolderClaim } from "../ports.ts";

/** Maximum number of folders that a sweep may remove without approval. */
const HARMLESS_FOLDERS = 3;

export interface SweepInput {
  /** Folders below our root that have the layout of a resource's folder. */
  readonly folders: Iterable<string>;
  readonly claimOf: (folder: string) => FolderClaim;
  /** Id of an approved sweep. */
  readonly approved: string | undefined;
}

export interface SweepPlan {
  /** Folders to remove now, sorted. */
  readonly remove: readonly string[];
  /** Undefined, or a sweep of too many folders: nothing is removed until a user approves its `id`. */
  readonly held: HeldSweep | undefined;
}

export interface HeldSweep {
  /** Identifies exactly this list of folders. */
  readonly id: string;
  /** Number of folders that would be removed. */
  readonly gone: number;
  /** Total number of folders. */
  readonly folders: number;
}

/**
 * Decides which folders of deleted resources are removed: only those whose claim is `gone`. A removal of more than half of
 * the folders waits for approval, because it probably is a mistake (the wrong cluster, an accidentally deleted CRD). Pure.
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
  // With this prefix, YAML does not parse the id as a number.
  const id = `sweep-${createHash("sha256").update(gone.join("\n")).digest("hex").slice(0, 12)}`;
  if (id === approved) return { remove: gone, held: undefined };
  return { remove: [], held: { id, gone: gone.length, folders: ours } };
}

/** Whether a path below our root has the layout of a resource's folder: `<namespace>/<plural>.<group>/<name>`. */
export function isResourceFolder(path: string): boolean {
  return /^[^/.][^/]*\/[^/.][^/]*\.[^/]+\/[^/]+$/.test(path);
}
