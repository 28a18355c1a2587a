import type { Candidate } from "../../crds/pipeline-status.ts";
import type { ReleaseView } from "./release-view.ts";
import { candidateOf, type PipelineWorld } from "./world.ts";

/** The candidates, with those of open requests added, and whether that changes which are kept for a request. */
export interface WithRequested {
  readonly candidates: readonly Candidate[];
  readonly isNews: boolean;
}

/** The commits of open requests: at most one for each stage. Pure. */
export function requestedCommits({ histories }: Pick<PipelineWorld, "histories">): ReadonlySet<string> {
  return new Set([...histories.values()].flatMap(({ openRequest }) => openRequest?.spec.revision ?? []));
}

/**
 * Adds removed candidates again while a request names their commits, so that the Releases plan them as they render now. A
 * commit that no stage has started is not added: its number is not known. Pure.
 */
export function withRequested(candidates: readonly Candidate[], world: PipelineWorld): WithRequested {
  const requested = requestedCommits(world);
  const settled = candidates.map((candidate) => {
    const { requested: isMarked, ...rest } = candidate;
    if (!requested.has(candidate.revision)) return isMarked === true ? rest : candidate;
    // One that is about to be removed may have outdated plans too.
    const isReplanned = isMarked !== true && isPast(candidate, candidates, world);
    return isReplanned ? { ...rest, releases: [], requested: true } : candidate;
  });
  const added = [...requested].flatMap((revision) => againFor(revision, candidates, world) ?? []);
  const isNews = added.length > 0 || settled.some((one, index) => one !== candidates[index]);
  return { candidates: [...settled, ...added].toSorted((a, b) => a.number - b.number), isNews };
}

/** Whether every stage has reached a later candidate, and none is to run this one. */
function isPast(
  { number, revision }: Candidate,
  candidates: readonly Candidate[],
  { histories }: PipelineWorld,
): boolean {
  return (
    number !== candidates.at(-1)?.number &&
    [...histories.values()].every(
      ({ position, current }) => number < position && current?.spec.revision !== revision,
    )
  );
}

/** The removed candidate of a commit with its number of then; undefined: it is one, or none is known. */
function againFor(
  revision: string,
  candidates: readonly Candidate[],
  { histories }: PipelineWorld,
): Candidate | undefined {
  if (candidateOf({ candidates: [...candidates] }, revision) !== undefined) return undefined;
  const started = [...histories.values()]
    .flatMap((history) => history.started)
    .filter(({ spec }) => spec.revision === revision);
  const number = Math.max(0, ...started.map(({ spec }) => spec.candidate ?? 0));
  // The last of the list is the newest candidate, so an older one is never added as the last.
  if (number === 0 || number >= (candidates.at(-1)?.number ?? 0)) return undefined;
  const committedAt = started.find(({ spec }) => spec.committedAt !== undefined)?.spec.committedAt ?? "";
  return { number, revision, subject: "", author: "", committedAt, releases: [], requested: true };
}

/** Whether no plan of another commit can be expected from a Release now. Pure. */
export function cannotPlanNow(release: ReleaseView | undefined): boolean {
  if (release === undefined || release.isSuspended || release.isDeleting) return true;
  if (release.pin !== undefined && !release.isPinOurs) return true;
  const isStalled = release.isObserved && release.conditions.get("Stalled")?.status === "True";
  return isStalled && release.asked !== undefined && release.next?.revision !== release.asked;
}
