import type { ReleaseHistoryEntry } from "../../../crds/release.ts";
import type { SourceCommit } from "../../git/source/ports.ts";

/** Maximum number of entries. */
export const historyLength = 10;

export interface Deployment {
  readonly commit: SourceCommit;
  /** Digest over all manifests. */
  readonly digest: string;
  /** Outcome so far. */
  readonly outcome: Exclude<ReleaseHistoryEntry["outcome"], "Superseded">;
  /** Wall clock, RFC 3339: when it was fully applied, if that is new. */
  readonly nowIso: string;
}

/**
 * The history after a reconcile: newest first, one entry per deployment. The same revision with the same manifests is the
 * same deployment in every reconcile; anything else is a new one, also an earlier revision (a rollback). `Ready` is final; a
 * failed deployment may still recover. Pure.
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
