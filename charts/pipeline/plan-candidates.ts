import type { PipelineRecord } from "../../crds/pipeline.ts";
import type { Candidate, PipelineCommit, PlannedRelease } from "../../crds/pipeline-status.ts";
import { lacksComparison, withDifferences } from "./differences.ts";
import { keepCandidates } from "./keep-candidates.ts";
import { describeNoRoom, fitRecord, isTooLarge, shortenTexts } from "./record-size.ts";
import { agreedRelease } from "./release-problems.ts";
import type { ReleaseView } from "./release-view.ts";
import { withRequested } from "./requested-candidates.ts";
import { shortenText } from "./stored-text.ts";
import { candidateOf, type PipelineWorld } from "./world.ts";

/** The status of the Release has the whole error. */
const mostErrorBytes = 300;

/**
 * The next record of a Pipeline: the newest commit, the commit to plan, and the commits that change a stage. Pure and
 * idempotent.
 *
 * @param seen The newest commit; undefined: not known now.
 */
export function planCandidates(world: PipelineWorld, seen: PipelineCommit | undefined): PipelineRecord {
  const previous = world.record;
  // Ignore a commit with the same tree: its files are the same.
  const head = seen === undefined || seen.tree === previous.head?.tree ? previous.head : seen;
  const { planning } = previous;
  const requested = withRequested(previous.candidates ?? [], world);
  const candidates = plannedCandidates(requested.candidates, world);
  // Add the planned commit before the next one replaces it.
  const added = newCandidate(world, candidates);
  const next = planning === undefined || isPlanned(planning.revision, world) ? head : planning;
  const commits = { head, planning: next };
  const withAdded = (others: readonly Candidate[]) => (added === undefined ? others : [...others, added]);
  const all = withAdded(candidates);
  const isNews = requested.isNews || added !== undefined || next?.revision !== planning?.revision;
  // Remove candidates only together with another change, to save a write of the status; or because they are too large.
  if (!isNews && !isTooLarge({ ...commits, candidates: all }, world)) return recordOf(commits, all, previous);
  const options = { commits, world, isNews };
  let fitting = fitCandidates(all, options);
  // With a new candidate, or one that is requested again, what is needed is too large: it waits until there is room.
  if (!fitting.fits && added !== undefined) fitting = fitCandidates(candidates, options);
  if (!fitting.fits && requested.isNews) {
    const others = plannedCandidates(previous.candidates ?? [], world);
    fitting = fitCandidates(withAdded(others), options);
    if (!fitting.fits) fitting = fitCandidates(others, options);
  }
  return recordOf(commits, fitting.candidates, previous);
}

type Commits = Pick<PipelineRecord, "head" | "planning">;

/** The candidates that fit into the record. */
function fitCandidates(
  candidates: readonly Candidate[],
  {
    commits,
    world,
    isNews,
  }: { readonly commits: Commits; readonly world: PipelineWorld; readonly isNews: boolean },
) {
  const record = { ...world.record, candidates: [...candidates] };
  const { kept, needed } = keepCandidates({ ...world, record }, candidates);
  return fitRecord({ ...commits, candidates: isNews ? kept : candidates }, { needed, world });
}

function recordOf(
  commits: Commits,
  candidates: readonly Candidate[],
  previous: Partial<PipelineRecord>,
): PipelineRecord {
  return { ...commits, candidates: candidates.length === 0 ? previous.candidates : [...candidates] };
}

/** The candidates with the current plans of the Releases. */
function plannedCandidates(candidates: readonly Candidate[], world: PipelineWorld): readonly Candidate[] {
  return candidates.map((candidate) =>
    shortenTexts(withDifferences(withPlans(candidate, world), world, candidate)),
  );
}

/** The planned commit as a candidate; undefined: it is none, or one already. */
function newCandidate(world: PipelineWorld, candidates: readonly Candidate[]): Candidate | undefined {
  const { planning } = world.record;
  return planning && candidateFor(planning, { ...world, record: { candidates: [...candidates] } });
}

/** Why a planned commit does not become a candidate although it changes a stage; undefined: nothing prevents it. Pure. */
export function describeFullRecord(world: PipelineWorld): string | undefined {
  const { head, planning, candidates = [] } = world.record;
  const added = newCandidate(world, candidates);
  if (added === undefined) return undefined;
  const { fits } = fitCandidates([...candidates, added], {
    commits: { head, planning },
    world,
    isNews: true,
  });
  return fits ? undefined : describeNoRoom(added.revision);
}

/** Whether every Release that can plan a commit has planned it or has reported an error. */
export function isPlanned(revision: string, world: PipelineWorld): boolean {
  return releasesOf(world).every(
    ({ release }) => release === undefined || !canPlan(release, revision) || hasPlanned(release, revision),
  );
}

/** Whether a Release can plan a commit. One that is suspended, being deleted, stalled, or pinned by another manager cannot. Pure. */
export function canPlan(release: ReleaseView, revision: string): boolean {
  if (release.isSuspended || release.isDeleting) return false;
  if (release.pin !== undefined && !release.isPinOurs) return false;
  const isStuck =
    release.isObserved && release.asked === revision && release.conditions.get("Stalled")?.status === "True";
  return !isStuck;
}

/** Whether a Release has planned a commit, or has reported why it cannot. Pure. */
export function hasPlanned({ next }: ReleaseView, revision: string): boolean {
  return next?.revision === revision && (next.digest !== undefined || next.error !== undefined);
}

/** The Releases that a stage lists and that name this stage. */
function releasesOf({ stages, releases }: PipelineWorld) {
  return stages.flatMap((stage) =>
    stage.keys.map((key) => ({ key, release: agreedRelease(key, { stage, world: { releases } }) })),
  );
}

/** The current plans of a commit. */
function plansFor(revision: string, world: PipelineWorld): readonly PlannedRelease[] {
  return releasesOf(world).flatMap(({ key, release }): readonly PlannedRelease[] => {
    if (release?.next === undefined || !hasPlanned(release, revision)) return [];
    const { digest, error, mutableImages, compared } = release.next;
    if (error !== undefined) return [{ release: key, error: shortenText(firstLine(error), mostErrorBytes) }];
    return [
      {
        release: key,
        ...(digest !== undefined && { digest }),
        ...(mutableImages !== undefined && { mutableImages }),
        ...(compared && { compared: compared.map(({ rules, digest: own }) => ({ rules, digest: own })) }),
      },
    ];
  });
}

/** The candidate with the current plans of the Releases. A plan changes when a Release renders the commit differently. */
function withPlans(candidate: Candidate, world: PipelineWorld): Candidate {
  const plans = plansFor(candidate.revision, world);
  if (plans.length === 0) return candidate;
  const planned = new Set(plans.map(({ release }) => release));
  const others = candidate.releases.filter(({ release }) => !planned.has(release));
  return { ...candidate, releases: [...others, ...plans].toSorted(byRelease) };
}

/** The candidate for a planned commit; undefined: the commit is already one, lacks plans, or changes no digest. */
function candidateFor(planning: PipelineCommit, world: PipelineWorld): Candidate | undefined {
  const { candidates = [] } = world.record;
  const last = candidates.at(-1);
  if (last?.revision === planning.revision || !isPlanned(planning.revision, world)) return undefined;
  const releases = plansFor(planning.revision, world).toSorted(byRelease);
  const isChange = releases.some((plan) => changes(plan, { last, world }));
  if (!isChange) return undefined;
  const numbers = [
    ...candidates.map(({ number }) => number),
    ...world.promotions.map(({ spec }) => spec.candidate ?? 0),
  ];
  const { tree: _, ...commit } = planning;
  const candidate = { number: 1 + Math.max(0, ...numbers), ...commit, releases: [...releases] };
  return shortenTexts(withDifferences(candidate, world, undefined));
}

/** Whether a plan differs from that of the previous candidate. Without one: whether it differs from the deployed digest. */
function changes(
  plan: PlannedRelease,
  { last, world }: { readonly last: Candidate | undefined; readonly world: PipelineWorld },
): boolean {
  if (last === undefined)
    return plan.digest === undefined || plan.digest !== world.releases.get(plan.release)?.deployed?.digest;
  const before = last.releases.find(({ release }) => release === plan.release);
  return plan.digest !== before?.digest || (plan.error === undefined) !== (before?.error === undefined);
}

/** The commit that a Release is to plan now: its pinned commit first, if that has another digest now and no plan has it. Pure. */
export function commitToPlan(
  release: ReleaseView,
  world: Pick<PipelineWorld, "record" | "pairs">,
): string | undefined {
  const { record } = world;
  const { planning, candidates = [] } = record;
  if (planning === undefined) return undefined;
  if (hasOutdatedPin(release, record)) return release.pin?.revision;
  const isKnown = ({ releases }: Candidate): boolean =>
    releases.some((plan) => plan.release === release.key && !lacksComparison(release.key, plan, world));
  const own = candidateOf(record, planning.revision);
  if (!(own !== undefined && isKnown(own)) && !hasPlanned(release, planning.revision))
    return planning.revision;
  const unknown = candidates.filter((candidate) => !isKnown(candidate));
  // A user waits for a request.
  const first = unknown.find((candidate) => candidate.requested === true) ?? unknown.at(-1);
  return first?.revision ?? planning.revision;
}

/**
 * Whether a Release refuses its pin because of the digest, and the candidate still has that digest: then no Promotion to the
 * new digest can be requested. The plan of the pin is awaited if it is already requested.
 */
function hasOutdatedPin(
  { key, pin, asked, isObserved, conditions }: ReleaseView,
  record: Partial<PipelineRecord>,
): boolean {
  if (pin === undefined || conditions.get("Ready")?.reason !== "DigestMismatch") return false;
  if (!isObserved && asked !== pin.revision) return false;
  const plan = candidateOf(record, pin.revision)?.releases.find(({ release }) => release === key);
  return plan?.digest !== undefined && plan.digest === pin.digest;
}

function byRelease(a: PlannedRelease, b: PlannedRelease): number {
  return a.release < b.release ? -1 : Number(a.release > b.release);
}

/** The first line of an error: a renderer may write errors of any length. */
function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
