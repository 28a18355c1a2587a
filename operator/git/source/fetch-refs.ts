import { SourceError, type SourceFailure } from "../../errors.ts";
import type { SourceClone } from "./source-clone.ts";
import { EVERYTHING, FetchTooBigError, type SourceRemote } from "./source-remote.ts";
import type { SourceLimits } from "./tree-files.ts";

export interface FetchRefsInput {
  readonly clone: SourceClone;
  readonly remote: Pick<SourceRemote, "fetch">;
  readonly limits: SourceLimits;
  /** Counts commands. */
  readonly onFetch: () => void;
}

/** Names on the remote → ours. */
type Refs = ReadonlyMap<string, string>;

/** Maximum number of commits of history for later fetches: a pushed branch may have a long history. */
const HISTORY = 50;
/** If there are more commits, only the newest is fetched. */
const NEWS_BYTES = 256 * 1024 * 1024;

/**
 * Fetches refs: new commits for those that the clone has (so that the history grows with every push), and one commit for
 * others. If one of them makes the command fail, each is fetched separately.
 *
 * @param options.isKnown Whether the clone has an older state of these refs.
 * @returns Errors, by name on the remote.
 * @throws SourceError when the remote is not reachable, GitError `CacheBroken`
 */
export async function fetchRefs(
  refs: Refs,
  input: FetchRefsInput & { readonly isKnown: boolean },
): Promise<Map<string, SourceFailure>> {
  if (refs.size === 0) return new Map();
  try {
    await fetchAtOnce(refs, input);
    return new Map();
  } catch (error) {
    if (!(error instanceof SourceError) || concernsAll(error)) throw error;
    if (refs.size === 1) return new Map([...refs.keys()].map((name) => [name, error.failure]));
  }
  const failures = new Map<string, SourceFailure>();
  for (const [theirs, ours] of refs) {
    for (const [name, failure] of await fetchRefs(new Map([[theirs, ours]]), input))
      failures.set(name, failure);
  }
  return failures;
}

async function fetchAtOnce(
  refs: Refs,
  input: FetchRefsInput & { readonly isKnown: boolean },
  depth: number | "plain" = input.isKnown ? HISTORY : 1,
): Promise<void> {
  const { clone, remote, limits, onFetch } = input;
  try {
    onFetch();
    const growthBytes = depth === HISTORY ? Math.min(NEWS_BYTES, limits.cloneBytes) : limits.cloneBytes;
    await remote.fetch(clone, { refs, depth, growthBytes });
  } catch (error) {
    // The dumb HTTP protocol fetches all of the history or nothing.
    const isRefused = error instanceof SourceError && /shallow/i.test(error.message);
    if (isRefused && depth !== "plain") return await fetchAtOnce(refs, input, "plain");
    if (!(error instanceof FetchTooBigError)) throw error;
    // Only the newest commit is needed.
    if (depth === HISTORY) return await fetchAtOnce(refs, input, 1);
    const what = depth === "plain" ? "it" : "one commit of it";
    const mebibytes = Math.floor(error.limitBytes / (1024 * 1024));
    throw new SourceError(
      "RenderLimit",
      `Cannot fetch the repository: ${what} has more than ${mebibytes} MiB`,
    );
  }
}

/**
 * Fetches commits by their ids; if the remote does not allow that, all branches with their whole history.
 *
 * @throws SourceError when the remote is not reachable, GitError `CacheBroken`
 */
export async function fetchCommits(
  ids: readonly string[],
  input: FetchRefsInput & { readonly maySearch: (id: string) => boolean },
): Promise<Map<string, SourceFailure>> {
  const refs = new Map(ids.map((id) => [id, `refs/fairlead/${id}`]));
  const failures = await fetchRefs(refs, { ...input, isKnown: false });
  const search = [...failures].filter(
    ([id, { message }]) => !message.includes("not our ref") && input.maySearch(id),
  );
  if (search.length === 0) return failures;
  const { clone, remote, limits, onFetch } = input;
  onFetch();
  const everything = new Map([["refs/heads/*", "refs/fairlead/all/*"]]);
  await remote
    .fetch(clone, { refs: everything, depth: EVERYTHING, growthBytes: limits.cloneBytes })
    .catch((error) => {
      // Then the commit is still not found.
      if (!(error instanceof FetchTooBigError)) throw error;
    });
  const found = await clone.reader.info(search.map(([id]) => id));
  for (const [index, [id]] of search.entries()) if (found[index]?.type === "commit") failures.delete(id);
  return failures;
}

/** Whether credentials or an outage explain the failure: neither depends on which refs are requested. */
function concernsAll({ reason }: SourceError): boolean {
  return reason === "SourceUnreachable" || reason === "SourceRefused";
}
