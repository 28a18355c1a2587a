import type { ReleaseView } from "./release-view.ts";
import { nameOf, type Stage } from "./shape.ts";
import type { PipelineWorld } from "./world.ts";

/** The Release of a stage; undefined: it does not exist, or does not name this stage. Pure. */
export function agreedRelease(
  key: string,
  {
    stage,
    world: { releases },
  }: { readonly stage: Pick<Stage, "names">; readonly world: Pick<PipelineWorld, "releases"> },
): ReleaseView | undefined {
  const release = releases.get(key);
  return release?.stage !== undefined && stage.names.has(release.stage) ? release : undefined;
}

/** The Releases of a stage that name it, by key. Pure. */
export function agreedReleases(
  stage: Pick<Stage, "keys" | "names">,
  world: Pick<PipelineWorld, "releases">,
): ReadonlyMap<string, ReleaseView> {
  const agreed = new Map<string, ReleaseView>();
  for (const key of stage.keys) {
    const release = agreedRelease(key, { stage, world });
    if (release !== undefined) agreed.set(key, release);
  }
  return agreed;
}

/** Why Releases of a stage cannot be deployed: one text for each of them. Pure. */
export function describeReleases(stage: Stage, world: PipelineWorld): readonly string[] {
  if (stage.keys.length === 0) return ["the stage has no Releases"];
  return stage.keys.flatMap((key) => {
    const problem = findProblem(key, stage, world);
    return problem === undefined ? [] : [`Release "${key}" ${problem}`];
  });
}

/** Why a Release of a stage cannot be deployed; undefined: it can. Pure. */
export function findProblem(key: string, stage: Stage, world: PipelineWorld): string | undefined {
  const found = world.releases.get(key);
  const release = agreedRelease(key, { stage, world });
  // A Pipeline reads only Releases that name it.
  if (found === undefined) return "does not exist, or does not name this Pipeline in source.ref.pipeline";
  if (release === undefined) return `names stage "${found.stage}" in source.ref.stage`;
  if (release.isDeleting) return "is being deleted";
  if (release.isSuspended) return "is suspended";
  if (release.pin !== undefined && !release.isPinOurs)
    return `is pinned to ${release.pin.revision} by another field manager`;
  const ready = release.conditions.get("Ready");
  if (ready?.status === "False" && waitsForPeople.has(ready.reason)) return `is not ready: ${ready.message}`;
  return undefined;
}

/** Why a Release does not plan the requested commit before it is edited; undefined: it has planned it, or is not stalled. Pure. */
export function whyStalled(
  key: string,
  revision: string,
  at: { readonly stage: Pick<Stage, "names">; readonly world: Pick<PipelineWorld, "releases"> },
): string | undefined {
  const release = agreedRelease(key, at);
  if (release === undefined || release.asked !== revision || release.next?.revision === revision)
    return undefined;
  const { conditions, isObserved } = release;
  const isStalled = isObserved && conditions.get("Stalled")?.status === "True";
  return isStalled ? (conditions.get("Ready") ?? conditions.get("Stalled"))?.message : undefined;
}

/** Reasons that a user must resolve by an edit or an approval of the Release. */
const waitsForPeople: ReadonlySet<string> = new Set(["PruneHeld", "SpecInvalid", "PolicyRefused"]);

/** Maximum number of Releases in a message. */
const mostNamed = 5;

/**
 * Releases that name a stage which does not list them. Those in other namespaces than the Pipeline and its Releases are
 * separate, because any user may have created them. Pure.
 */
export function describeStrangers(world: PipelineWorld): {
  readonly near: readonly string[];
  readonly far: readonly string[];
} {
  const namespaces = new Set([
    world.namespace,
    ...world.stages.flatMap(({ keys }) => keys.map((key) => nameOf(key).namespace)),
  ]);
  const strangers = [...world.releases.values()].flatMap(({ key, namespace, stage: named = "" }) => {
    const stage = world.stages.find(({ names }) => names.has(named));
    if (stage?.keys.includes(key)) return [];
    const why = stage === undefined ? "does not exist" : "does not list it";
    return [
      {
        isNear: namespaces.has(namespace),
        text: `Release "${key}" names stage "${named}", which ${why}`,
      },
    ];
  });
  const of = (isNear: boolean) =>
    shorten(strangers.filter((one) => one.isNear === isNear).map(({ text }) => text));
  return { near: of(true), far: of(false) };
}

function shorten(texts: readonly string[]): readonly string[] {
  const others = texts.length - mostNamed;
  return others > 0 ? [...texts.slice(0, mostNamed), `and ${others} more Releases`] : texts;
}
