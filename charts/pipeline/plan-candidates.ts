import type { PipelineRecord } from "../../crds/pipeline.ts";
import type { Candidate, PipelineCommit, PlannedRelease } from "../../crds/pipeline-status.ts";
import { lacksComparison, withDifferences } from "./differences.ts";
import { keepCandidates } from "./keep-candidates.ts";
import type { ReleaseView } from "./release-view.ts";
import { candidateOf, type PipelineWorld } from "./world.ts";

/**
 * The next record of a Pipeline: the newest commit, the commit that is planned, and the commits that change a stage. Pure,
 * and stable: planned again with nothing changed, it is the same.
 *
 * @param seen The newest commit; undefined: the source is not known now.
 */
export function planCandidates(world: PipelineWorld, seen: PipelineCommit | undefined): PipelineRecord {
  const previous = world.record;
  // Equal trees are equal files: such a commit changes nothing.
  const head = seen === undefined || seen.tree === previous.head?.tree ? previous.head : seen;
  const { planning } = previous;
  const candidates = (previous.candidates ?? []).map((candidate) =>
    withDifferences(withPlans(candidate, world), world, candidate),
  );
  // The commit that was planned, before the next one takes its place.
  const added = planning && candidateFor(planning, { ...world, record: { candidates } });
  const all = added === undefined ? candidates : [...candidates, added];
  const next = planning === undefined || isPlanned(planning.revision, world) ? head : planning;
  // To leave out what no stage will get is not worth a write of its own.
  const isNews = added !== undefined || next?.revision !== planning?.revision;
  const kept = isNews ? keepCandidates({ ...world, record: { ...previous, candidates: all } }, all) : all;
  return { head, planning: next, candidates: kept.length === 0 ? previous.candidates : [...kept] };
}

/** Whether every Release that can has planned a commit, or has said why it cannot. */
export function isPlanned(revision: string, world: PipelineWorld): boolean {
  return releasesOf(world).every(
    ({ release }) => release === undefined || !canPlan(release, revision) || hasPlanned(release, revision),
  );
}

/** Whether an answer can be expected: not from a Release that is stopped, stuck, or pinned by another manager. */
function canPlan(release: ReleaseView, revision: string): boolean {
  if (release.isSuspended || release.isDeleting) return false;
  if (release.pin !== undefined && !release.isPinOurs) return false;
  const isStuck =
    release.isObserved && release.asked === revision && release.conditions.get("Stalled")?.status === "True";
  return !isStuck;
}

function hasPlanned({ next }: ReleaseView, revision: string): boolean {
  return next?.revision === revision && (next.digest !== undefined || next.error !== undefined);
}

/** The Releases of all stages, as far as both sides agree. */
function releasesOf({ stages, releases }: PipelineWorld) {
  return stages.flatMap(({ name, keys }) =>
    keys.map((key) => {
      const release = releases.get(key);
      return { key, release: release?.stage === name ? release : undefined };
    }),
  );
}

/** What the Releases say of a commit now. */
function plansFor(revision: string, world: PipelineWorld): readonly PlannedRelease[] {
  return releasesOf(world).flatMap(({ key, release }): readonly PlannedRelease[] => {
    if (release?.next === undefined || !hasPlanned(release, revision)) return [];
    const { digest, error, mutableImages, compared } = release.next;
    if (error !== undefined) return [{ release: key, error: firstLine(error) }];
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

/** The candidate with what the Releases say of it by now: they may render it otherwise than before. */
function withPlans(candidate: Candidate, world: PipelineWorld): Candidate {
  const plans = plansFor(candidate.revision, world);
  if (plans.length === 0) return candidate;
  const others = candidate.releases.filter(({ release }) => !plans.some((plan) => plan.release === release));
  return { ...candidate, releases: [...others, ...plans].toSorted(byRelease) };
}

/** The candidate that a planned commit is; undefined: it is one already, is not planned, or changes nothing. */
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
  return withDifferences(candidate, world, undefined);
}

/** Whether a commit makes something else of a Release than the candidate before it, or than what runs if there is none. */
function changes(
  plan: PlannedRelease,
  { last, world }: { readonly last: Candidate | undefined; readonly world: PipelineWorld },
): boolean {
  if (last === undefined)
    return plan.digest === undefined || plan.digest !== world.releases.get(plan.release)?.deployed?.digest;
  const before = last.releases.find(({ release }) => release === plan.release);
  return plan.digest !== before?.digest || (plan.error === undefined) !== (before?.error === undefined);
}

/** The commit that a Release is to plan now: first its pin, if that has another digest by now and no plan says which. Pure. */
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
  return candidates.findLast((candidate) => !isKnown(candidate))?.revision ?? planning.revision;
}

/**
 * Whether a Release refuses its pin because of the digest, and the candidate still has that digest: then no Promotion of the
 * new digest can be asked for. Once asked for, the plan of the pin is waited for.
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

/** Errors are as long as a renderer writes them. */
function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 300) ?? "";
}
