import type { PromotionSpec } from "../../crds/promotion.ts";
import type { Comparison } from "../../crds/stage-differences.ts";
import { dueReleases, firstBatch } from "./batches.ts";
import { comparisonsFor } from "./comparisons.ts";
import { closedByFreeze } from "./gates.ts";
import { commitToPlan } from "./plan-candidates.ts";
import { isOpen } from "./promotions.ts";
import type { ReleaseView } from "./release-view.ts";
import type { Stage } from "./shape.ts";
import { historyOf, type PipelineWorld } from "./world.ts";

/** Fields of a Release that a Pipeline sets. */
export interface ReleasePin {
  readonly name: string;
  readonly namespace: string;
  readonly revision?: string;
  readonly digest?: string;
  /** The commit to plan. */
  readonly next?: string;
  /** How to compare that commit with other stages; absent: not at all. */
  readonly compare?: readonly Comparison[];
}

/**
 * The fields that a Pipeline sets in the Releases that name it. Only a Promotion without an outcome changes a pin;
 * otherwise the existing pin is kept. Pure.
 *
 * @param starting Names of stages that start a Promotion in the same run. It replaces the current one, whose pins are no longer set:
 * the new one could pass with the existing pin just before they are.
 */
export function decidePins(world: PipelineWorld, starting: ReadonlySet<string>): readonly ReleasePin[] {
  const stages = world.stages.map((stage) => ({
    stage,
    target: targetsOf(stage, { world, isStarting: starting.has(stage.name) }),
  }));
  return [...world.releases.values()].flatMap((release) => {
    if (release.isDeleting) return [];
    const { key, name, namespace } = release;
    const found = stages.find(
      ({ stage }) =>
        release.stage !== undefined && stage.names.has(release.stage) && stage.keys.includes(key),
    );
    const pin = found === undefined ? ownPin(release) : pinOf(release, found.target(release));
    const next = found === undefined ? undefined : commitToPlan(release, world);
    if (pin === undefined && next === undefined) return [];
    const compare = next === undefined ? [] : comparisonsFor({ key, revision: next }, world);
    return [
      {
        name,
        namespace,
        ...pin,
        ...(next !== undefined && { next }),
        ...(compare.length > 0 && { compare }),
      },
    ];
  });
}

interface Target {
  readonly revision: string;
  readonly digest: string;
  /** Whether a pin to another commit or digest may be replaced now. */
  readonly isDue: boolean;
  /** Whether a pin that was removed is set again. */
  readonly isSettled: boolean;
}

/** Target of each Release according to the last Promotion of its stage. */
function targetsOf(
  stage: Stage,
  { world, isStarting }: { readonly world: PipelineWorld; readonly isStarting: boolean },
): (release: ReleaseView) => Target | undefined {
  const { current } = historyOf(world, stage);
  if (current === undefined) return () => undefined;
  const { spec, passedAt } = current;
  const due = isOpen(current) && !isStarting ? duePins(spec, { stage, world }) : new Set();
  return ({ key, deployed }) => {
    const entry = spec.releases?.find(({ namespace, name }) => `${namespace}/${name}` === key);
    if (entry === undefined) return undefined;
    const { digest } = entry;
    const isSettled = passedAt !== undefined || deployed?.digest === digest;
    return { revision: spec.revision, digest, isDue: due.has(key), isSettled };
  };
}

/** Keys of the Releases to pin now. A Freeze stops the rollout between batches, but not before the first batch. */
function duePins(
  spec: PromotionSpec,
  { stage, world }: { readonly stage: Stage; readonly world: PipelineWorld },
): ReadonlySet<string> {
  const isFrozen = spec.bypass?.includes("Freeze") !== true && closedByFreeze(stage, world) !== undefined;
  return isFrozen ? firstBatch(spec, stage) : dueReleases(spec, { stage, world });
}

function pinOf(
  release: ReleaseView,
  target: Target | undefined,
): Pick<ReleasePin, "revision" | "digest"> | undefined {
  if (target === undefined) return ownPin(release);
  const { pin, isPinOurs } = release;
  const { revision, digest, isDue, isSettled } = target;
  const isThere = pin?.revision === revision && pin.digest === digest;
  // If another field manager owns the pin, the API server rejects this apply and names the manager.
  if (isDue || isThere || (isSettled && !isPinOurs)) return { revision, digest };
  return ownPin(release);
}

/** The existing pin, if the Pipeline has set it. It must be applied again, because server-side apply removes omitted fields. */
function ownPin({ pin, isPinOurs }: ReleaseView): Pick<ReleasePin, "revision" | "digest"> | undefined {
  return isPinOurs ? pin : undefined;
}
