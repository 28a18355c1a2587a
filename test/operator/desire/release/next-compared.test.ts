import { describe, expect, test } from "vitest";
import { OBJECT_PARTS, rulesDigestOf } from "../../../../crds/stage-differences.ts";
import { made, map, next, planned } from "../../../fakes/planned-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease } from "../../../fakes/releases.ts";

const differences = [{ kind: "ConfigMap", fields: ["data.x"] }];

/** Asks for the same commit again, with what it is compared by. */
async function compare(bench: ReleaseBench, generation: number, compare?: readonly object[]): Promise<void> {
  const { revision } = next("2").next;
  bench.edit(aRelease({ generation, spec: { next: { revision, ...(compare && { compare }) } } }));
  await made(bench);
}

describe("the comparison of a plan", () => {
  test("is a digest without the declared differences, and sends no request to the API server", async () => {
    const bench = await planned([map("a", "2"), map("b")]);
    const plan = bench.release().status?.next;
    bench.takeRequests();
    await compare(bench, 3, [{ differences }]);
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    const { compared, ...rest } = bench.release().status?.next ?? {};
    expect(rest).toEqual(plan);
    expect(compared).toEqual([
      {
        rules: rulesDigestOf(differences),
        digest: expect.stringMatching(/^[0-9a-f]{32}$/),
        parts: expect.stringMatching(/^[0-9a-f]+$/),
      },
    ]);
    const other = await planned([map("a", "3"), map("b", "4")]);
    await compare(other, 3, [{ differences }]);
    expect(other.release().status?.next?.compared).toEqual(compared);
  });

  test("lists the fields of the requested parts, and is removed when no comparison is requested", async () => {
    const bench = await planned([map("a", "2"), map("b")]);
    const parts = Array.from({ length: OBJECT_PARTS }, (_, part) => part);
    await compare(bench, 3, [{ differences: [], parts }]);
    const text = JSON.stringify(bench.release().status?.next?.compared);
    expect(text).toContain('{"object":"ConfigMap a","digest":"');
    bench.takeRequests();
    await compare(bench, 4);
    expect(bench.release().status?.next).not.toHaveProperty("compared");
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
  });

  test("is also removed by another operator, without another plan", async () => {
    const bench = await planned([map("a", "2"), map("b")]);
    await compare(bench, 3, [{ differences }]);
    const successor = new ReleaseBench();
    successor.commit("1", [map("a"), map("b")]);
    successor.offer("2", [map("a", "2"), map("b")]);
    for (const object of bench.cluster.objects.values()) successor.deliver(successor.cluster.put(object));
    expect(successor.release().status?.next).toHaveProperty("compared");
    await compare(successor, 4);
    expect(successor.release().status?.next).toMatchObject({ change: 1 });
    expect(successor.release().status?.next).not.toHaveProperty("compared");
    expect(successor.takeRequests()).toEqual(["status Release/web"]);
  });

  test("is absent if no comparison is requested", async () => {
    const bench = await planned([map("a", "2"), map("b")]);
    expect(bench.release().status?.next).not.toHaveProperty("compared");
  });
});
