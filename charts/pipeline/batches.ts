import type { KindClock } from "../../crds/kind-context.ts";
import type { PromotionSpec } from "../../crds/promotion.ts";
import { agreedRelease } from "./release-problems.ts";
import { assessRelease } from "./release-state.ts";
import type { Stage } from "./shape.ts";
import { proofRulesOf } from "./stage-rules.ts";
import type { PipelineWorld } from "./world.ts";

/** Number of Releases in a batch. A percentage is rounded down; the minimum is one. Pure. */
export function batchSizeOf(batch: Stage["batch"], count: number): number {
  if (batch === undefined) return count;
  const size = typeof batch === "number" ? batch : Math.floor((count * Number.parseInt(batch, 10)) / 100);
  return Math.max(1, size);
}

/**
 * Keys of the Releases that may be pinned now. A batch is due when all Releases of the earlier batches are proven. A
 * rollback pins all Releases at once. Pure.
 */
export function dueReleases(
  spec: PromotionSpec,
  {
    stage,
    world,
  }: {
    readonly stage: Stage;
    readonly world: Pick<PipelineWorld, "releases"> & { readonly clock: KindClock };
  },
): ReadonlySet<string> {
  const { revision, releases = [] } = spec;
  const ordered = releases
    .map(({ namespace, name, digest }) => ({ key: `${namespace}/${name}`, digest }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const size = spec.rollback === true ? ordered.length : batchSizeOf(stage.batch, ordered.length);
  const { soak } = proofRulesOf(stage, spec);
  const due = new Set<string>();
  for (let first = 0; first < ordered.length; first += size) {
    const batch = ordered.slice(first, first + size);
    for (const { key } of batch) due.add(key);
    const isProven = batch.every(
      ({ key, digest }) =>
        assessRelease(agreedRelease(key, { stage, world }), { revision, digest, soak }, world.clock).state ===
        "Proven",
    );
    if (!isProven) break;
  }
  return due;
}

/** Keys of the first batch. Pure. */
export function firstBatch(
  { releases = [], rollback }: PromotionSpec,
  { batch }: Pick<Stage, "batch">,
): ReadonlySet<string> {
  const keys = releases.map(({ namespace, name }) => `${namespace}/${name}`).sort();
  return new Set(keys.slice(0, rollback === true ? keys.length : batchSizeOf(batch, keys.length)));
}
