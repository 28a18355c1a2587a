/** Counters since the start, for metrics. */
export interface GitStats {
  commits: number;
  /** Commits that are on the branch. */
  landed: number;
  pushes: number;
  /** Pushes that the remote would not have. */
  refused: number;
  /** Pushes that found another commit at the head, and were made again on top of it. */
  retried: number;
  lsRemotes: number;
  fetches: number;
  /** Times that the clone was made anew. */
  rebuilds: number;
}

export function noStats(): GitStats {
  return {
    commits: 0,
    landed: 0,
    pushes: 0,
    refused: 0,
    retried: 0,
    lsRemotes: 0,
    fetches: 0,
    rebuilds: 0,
  };
}
