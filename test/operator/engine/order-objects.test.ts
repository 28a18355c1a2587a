import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApplyStage } from "../../../operator/engine/apply-stage.ts";
import type { DesiredObject } from "../../../operator/engine/desired-set.ts";
import { wavesOf } from "../../../operator/engine/inventory.ts";
import { type Orderable, orderObjects } from "../../../operator/engine/order-objects.ts";
import { limitRuns } from "../../long.ts";

const names = ["a", "b", "c", "d", "e", "f"];
/** Any graph, cycles included. */
const graph: fc.Arbitrary<readonly Orderable[]> = fc.tuple(
  ...names.map((id) =>
    fc.record({
      id: fc.constant(id),
      stage: fc.integer({ min: 0, max: 5 }).map((stage) => stage as ApplyStage),
      needs: fc.subarray(names, { maxLength: 2 }),
    }),
  ),
);

function canReach(items: readonly Orderable[], from: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    for (const need of items.find((item) => item.id === id)?.needs ?? []) {
      if (seen.has(need)) continue;
      seen.add(need);
      visit(need);
    }
  };
  visit(from);
  return seen;
}

describe("orderObjects()", () => {
  test("orders every acyclic graph, and reports a cycle in every other", () => {
    fc.assert(
      fc.property(graph, (items) => {
        const hasCycle = names.some((name) => canReach(items, name).has(name));
        const { order, cycle } = orderObjects(items);
        expect(cycle !== undefined).toBe(hasCycle);
        if (cycle !== undefined) {
          expect(cycle.length).toBeGreaterThan(1);
          expect(cycle.at(-1)).toBe(cycle[0]);
          for (const [index, next] of cycle.slice(1).entries())
            expect(items.find(({ id }) => id === cycle[index])?.needs).toContain(next);
          return;
        }
        expect((order ?? []).map(({ id }) => id).toSorted()).toEqual(names);
        const places = new Map(order?.map(({ id }, index) => [id, index]));
        for (const [index, { id, stage, needs }] of (order ?? []).entries()) {
          expect(stage).toBeGreaterThanOrEqual(items.find((item) => item.id === id)?.stage ?? 0);
          expect(stage).toBeGreaterThanOrEqual(order?.[index - 1]?.stage ?? 0);
          for (const need of needs) expect(places.get(need)).toBeLessThan(index);
        }
        const waves = wavesOf({ objects: (order ?? []) as unknown as readonly DesiredObject[] });
        const waveOf = new Map(waves.flatMap((wave, index) => wave.map((id) => [id, index] as const)));
        for (const { id, needs } of order ?? [])
          for (const need of needs) expect(waveOf.get(need)).toBeLessThan(waveOf.get(id) ?? -1);
      }),
      { numRuns: limitRuns(300) },
    );
  });

  test("keeps the order of the source where no dependency requires another one", () => {
    const items = ["b", "a", "c"].map((id): Orderable => ({ id, stage: 4, needs: [] }));
    expect(orderObjects(items).order?.map(({ id }) => id)).toEqual(["b", "a", "c"]);
  });
});
