import type { ReleaseHistoryEntry } from "../../../crds/release.ts";
import type { SourceCommit } from "../../git/source/ports.ts";

/** Maximum number of entries. */
export const historyLength = 10;

export interface Deployment {
  readonly commit: SourceCommit;
  /** Digest over all manifests. */
  readonly digest: string;
  /** The current outcome. */
  readonly outcome: Exclude<ReleaseHistoryEntry["outcome"], "Superseded">;
  /** Wall clock, RFC 3339. It becomes the time of a new deployment. */
  readonly nowIso: string;
}

/**
 * Computes the history after a reconcile: one entry per deployment, newest first. A deployment is identified by revision and
 * manifests; a return to an earlier revision (a rollback) is a new deployment. `Ready` is final; a failed deployment may
 * still recover. Pure.
 */
export function nextHistory(
  history: readonly ReleaseHistoryEntry[] | undefined,
  { commit, digest, outcome, nowIso }: Deployment,
): readonly ReleaseHistoryEntry[] {
  const [newest, ...older] = history ?? [];
  if (newest?.revision === commit.id && newest.digest === digest) {
    const isFinal = newest.outcome === "Ready" || outcome === "Progressing" || newest.outcome === outcome;
    return isFinal ? (history ?? []) : [{ ...newest, outcome }, ...older];
  }
  const entry: ReleaseHistoryEntry = {
    revision: commit.id,
    digest,
    author: commit.author,
    subject: commit.subject,
    committedAt: commit.committedAt,
    deployedAt: nowIso,
    outcome,
  };
  return [entry, ...(history ?? []).map(supersede)].slice(0, historyLength);
}

function supersede(entry: ReleaseHistoryEntry): ReleaseHistoryEntry {
  return entry.outcome === "Progressing" ? { ...entry, outcome: "Superseded" } : entry;
}
