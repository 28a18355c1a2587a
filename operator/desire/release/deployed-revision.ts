import type { ReleaseStatus } from "../../../crds/release.ts";
import type { SourceCommit } from "../../git/source/ports.ts";

export type DeployedRevision = NonNullable<ReleaseStatus["deployed"]>;

/** State of the deployed folder in the source. */
export interface FolderState {
  /** Git tree id of the folder. */
  readonly tree: string;
  /** The newest commit that changed a file of the folder. */
  readonly touched: SourceCommit;
  /** Whether the history of the clone does not reach back to that commit. Then `touched` is the head. */
  readonly isAssumed: boolean;
}

/** The memory about the deployed revision between two runs of one process. */
export interface KnownDeployed {
  readonly value: DeployedRevision;
  readonly folder: FolderState;
  /** Whether the deployed revision has changed since the start of this process. */
  readonly hasMoved: boolean;
}

/**
 * Computes the deployed revision after a reconcile. It changes with every commit that changes a file of the folder, even if
 * the manifests are the same. If the files are the same, it changes only if this process has observed a newer commit: a
 * recreated clone has only the head, and another commit id would cause a write for every Release. Pure.
 *
 * @param input.written The deployed revision in the status.
 * @param input.pin The commit that a Pipeline has set, which it compares with the status. Undefined: no Pipeline has set one.
 * @param input.known The last result; undefined: this is the first one of this process.
 */
export function nextDeployed({
  written,
  known,
  folder,
  pin,
}: {
  readonly written: DeployedRevision | undefined;
  readonly known: KnownDeployed | undefined;
  readonly folder: FolderState;
  readonly pin?: string | undefined;
}): KnownDeployed {
  const { tree, touched, isAssumed } = folder;
  if (pin !== undefined) return { value: { revision: pin, tree }, folder, hasMoved: true };
  const before = known?.value ?? written;
  if (before?.tree !== tree) {
    const value = { revision: touched.id, tree };
    return { value, folder, hasMoved: known !== undefined };
  }
  const seen = known?.folder;
  if (seen === undefined) return { value: before, folder, hasMoved: false };
  // Ignore an assumed commit.
  if (isAssumed || touched.id === seen.touched.id) return known as KnownDeployed;
  const isNewer = touched.committedAt >= seen.touched.committedAt && touched.id !== before.revision;
  return isNewer
    ? { value: { revision: touched.id, tree }, folder, hasMoved: true }
    : { ...(known as KnownDeployed), folder };
}
