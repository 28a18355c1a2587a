import type { Candidate } from "../../crds/pipeline-status.ts";
import {
  type ComparedManifests,
  type Comparison,
  differingParts,
  nameDifferences,
  rulesDigestOf,
} from "../../crds/stage-differences.ts";
import type { NextView } from "./release-view.ts";
import { nameOf, type Stage } from "./shape.ts";
import type { PipelineWorld } from "./world.ts";

/** A Release of a stage with declared differences, and the Release of an earlier stage with which it is compared. */
export interface ComparedPair {
  readonly key: string;
  readonly other: string;
  /** The earlier stage. */
  readonly before: string;
  /** Digest of the declared differences. */
  readonly rules: string;
}

export interface StagePairs {
  readonly pairs: readonly ComparedPair[];
  /** Releases without a counterpart: one text for users each. */
  readonly problems: readonly string[];
}

type Shape = Pick<PipelineWorld, "stages" | "namespace">;

/** Maximum number of parts listed for one pair, and for one Release. */
const mostParts = 4;
const mostPartsOfRelease = 16;
/** Maximum number of fields in one text. */
const mostNames = 5;

/**
 * Pairs each Release of a stage with Releases of earlier stages: the one that `counterpart` names, else the one with the
 * same name, else the only Release of the earlier stage. Pure.
 */
export function pairsOf(stage: Stage, { stages, namespace }: Shape): StagePairs {
  if (stage.differences === undefined) return { pairs: [], problems: [] };
  const rules = rulesDigestOf(stage.differences);
  const pairs: ComparedPair[] = [];
  const problems: string[] = [];
  for (const before of stage.comesAfter) {
    const keys = stages.find(({ name }) => name === before)?.keys ?? [];
    const byName = Map.groupBy(keys, (key) => nameOf(key).name);
    for (const release of stage.releases) {
      const { name, counterpart } = release;
      const key = `${release.namespace ?? namespace}/${name}`;
      const named = byName.get(counterpart ?? name) ?? [];
      const others = named.length === 0 && counterpart === undefined && keys.length === 1 ? keys : named;
      pairs.push(...others.map((other) => ({ key, other, before, rules })));
      if (others.length === 0)
        problems.push(`Release "${key}" has no counterpart in stage "${before}" to be compared with`);
    }
  }
  return { pairs, problems };
}

/** The pairs of each Release, by its key; none if no stage declares differences. Pure. */
export function pairsByRelease(shape: Shape): ReadonlyMap<string, readonly ComparedPair[]> {
  const found = new Map<string, ComparedPair[]>();
  for (const pair of shape.stages.flatMap((stage) => pairsOf(stage, shape).pairs))
    for (const key of [pair.key, pair.other]) found.set(key, [...(found.get(key) ?? []), pair]);
  return found;
}

/** The comparisons of a commit that a Release computes: the fields to leave out, and the parts of the rest to list. Pure. */
export function comparisonsFor(
  { key, revision }: { readonly key: string; readonly revision: string },
  world: Pick<PipelineWorld, "stages" | "pairs" | "releases">,
): readonly Comparison[] {
  const pairs = world.pairs.get(key);
  if (pairs === undefined) return [];
  const rules = new Set(pairs.map((pair) => pair.rules));
  return world.stages.flatMap(({ differences }) => {
    const own = differences && rulesDigestOf(differences);
    // Equal rules of two stages have the same digest. List them once.
    if (own === undefined || !rules.delete(own)) return [];
    const parts = pairs
      .filter((pair) => pair.rules === own)
      .flatMap((pair) => partsToList(pair, { revision, world }));
    const wanted = [...new Set(parts)].toSorted((a, b) => a - b).slice(0, mostPartsOfRelease);
    return [{ differences: [...(differences ?? [])], ...(wanted.length > 0 && { parts: wanted }) }];
  });
}

/** The first parts in which both Releases differ. None unless both have planned the commit. */
function partsToList(
  pair: ComparedPair,
  { revision, world }: { readonly revision: string; readonly world: Pick<PipelineWorld, "releases"> },
): readonly number[] {
  const [ours, theirs] = [pair.key, pair.other].map((key) => {
    const next = world.releases.get(key)?.next;
    return next?.revision === revision ? next : undefined;
  });
  return compareNext(pair, { ours, theirs })?.parts ?? [];
}

/** The difference between two plans; undefined: they are equal, or their difference is not known. */
function compareNext(
  { rules }: ComparedPair,
  { ours, theirs }: { readonly ours: NextView | undefined; readonly theirs: NextView | undefined },
):
  | {
      readonly ours: ComparedManifests;
      readonly theirs: ComparedManifests;
      readonly parts: readonly number[];
    }
  | undefined {
  const find = (next: NextView | undefined) => next?.compared?.find((one) => one.rules === rules);
  const [a, b] = [find(ours), find(theirs)];
  if (a === undefined || b === undefined || a.digest === b.digest) return undefined;
  return { ours: a, theirs: b, parts: differingParts(a.parts, b.parts).slice(0, mostParts) };
}

type Planned = Candidate["releases"][number];

/** Whether two Releases are equal except for declared differences; undefined: not known. Pure. */
export function isEqualFor(
  { key, other, rules }: ComparedPair,
  releases: readonly Planned[],
): boolean | undefined {
  const [ours, theirs] = [key, other].map(
    (release) =>
      releases.find((one) => one.release === release)?.compared?.find((one) => one.rules === rules)?.digest,
  );
  return ours === undefined || theirs === undefined ? undefined : ours === theirs;
}

/** Describes the difference of a pair for users, from the statuses of both Releases; undefined: not known. Pure. */
export function describeDifference(
  pair: ComparedPair,
  planned: readonly Planned[],
  { releases }: Pick<PipelineWorld, "releases">,
): string | undefined {
  const [ours, theirs] = [pair.key, pair.other].map((key) => {
    const next = releases.get(key)?.next;
    // A plan of another commit with the same digest has the same objects.
    const entry = planned.find(({ release }) => release === key);
    return next?.digest !== undefined && next.digest === entry?.digest ? next : undefined;
  });
  const found = compareNext(pair, { ours, theirs });
  if (found === undefined) return undefined;
  if (found.parts.length === 0) return differsIn(pair, ["values of a Secret"]);
  const listed = ({ listed: all = [] }: ComparedManifests) =>
    all.filter(({ part }) => found.parts.includes(part));
  const [here, there] = [listed(found.ours), listed(found.theirs)];
  const both = here.map(({ part }) => part).filter((part) => there.some((one) => one.part === part));
  const fieldsOf = (parts: typeof here) =>
    parts.filter(({ part }) => both.includes(part)).flatMap(({ fields }) => fields);
  const names = nameDifferences(fieldsOf(here), fieldsOf(there));
  return names.length === 0 ? undefined : differsIn(pair, names);
}

/** `Release "a/web" differs from Release "b/web" (stage "staging") in …`. Pure. */
export function differsIn(
  { key, other, before }: Omit<ComparedPair, "rules">,
  names: readonly string[],
): string {
  const [first, left] = [names.slice(0, mostNames), names.length - mostNames];
  const more = left > 0 ? `; and ${left} more` : "";
  return `Release "${key}" differs from Release "${other}" of stage "${before}" in ${first.join("; ")}${more}`;
}
