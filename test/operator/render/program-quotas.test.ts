import { describe, expect, test } from "vitest";
import type { RenderRequest, SmallestLimit } from "../../../operator/render/ports.ts";
import type { ProgramRequest } from "../../../operator/render/render-task.ts";
import { aFolder, aRenderer, program, rendered, request } from "../../fakes/renderer-bench.ts";

const MINUTE = 60_000;
const policy = "ReleasePolicy tenants, rule 1";
const tenSeconds: SmallestLimit = { from: policy, value: 10 };
const waiting = (at: string, seconds = 10) => ({
  state: "waiting",
  failure: {
    reason: "RenderQuota",
    message:
      `Programs of this namespace used up the ${seconds} s per hour that ${policy} allows. ` +
      `Rendering continues at ${at}; the deployed objects stay in sync`,
  },
});

/** A renderer whose programs run for as long as their inputs say, in a namespace with a quota. */
function aTenant() {
  const bench = aRenderer();
  const { clock } = bench;
  bench.answerWith(async ({ tree, inputs, patience }: ProgramRequest) => {
    // Earlier steps, such as bundling or waiting for a permit, take time as well.
    await new Promise<void>((resolve) => clock.schedule(1_000, resolve));
    patience?.onRunning?.(true);
    await new Promise<void>((resolve) => clock.schedule(Number(inputs) * 1_000, resolve));
    patience?.onRunning?.(false);
    return rendered(tree);
  });
  const ask = (
    name: string,
    seconds: number,
    { namespace = "shop", quota = tenSeconds }: { namespace?: string; quota?: SmallestLimit | null } = {},
  ) => {
    const asked: RenderRequest = {
      ...request(`${namespace}/${name}`, aFolder(name), program(seconds), { namespace }),
      programQuota: quota ?? undefined,
    };
    return bench.renderer.render(asked);
  };
  return { ...bench, ask };
}

describe("createRenderer(), with a quota of program seconds", () => {
  test("renders of a namespace wait for the quota, report until when, and continue then by themselves", async () => {
    const { ask, clock, changes, programRuns } = aTenant();
    for (const name of ["a", "b"]) ask(name, 5);
    await clock.advance(MINUTE);
    expect(ask("a", 5)).toMatchObject({ state: "ready" });

    // The two runs ended in the first minute.
    expect(ask("c", 1)).toEqual(waiting("2026-01-01T01:01:00Z"));
    expect(clock.pendingDelaysMs).toEqual([60 * MINUTE]);
    await clock.advance(60 * MINUTE - 1);
    expect(programRuns).toHaveLength(2);
    expect(ask("c", 1)).toEqual(waiting("2026-01-01T01:01:00Z"));
    changes.length = 0;
    await clock.advance(3_000);
    expect(ask("c", 1)).toMatchObject({ state: "ready" });
    expect(changes).toEqual(["shop/c"]);
  });

  test("other namespaces, folders and cached renders are not affected", async () => {
    const { ask, clock, renderer } = aTenant();
    ask("a", 20);
    await clock.advance(MINUTE);
    expect(ask("b", 1)).toEqual(waiting("2026-01-01T01:01:00Z"));
    ask("b", 1, { namespace: "team" });
    const folder = { ...request("shop/folder", aFolder("folder")), programQuota: tenSeconds };
    renderer.render(folder);
    await clock.advance(3_000);
    expect(ask("b", 1, { namespace: "team" })).toMatchObject({ state: "ready" });
    expect(renderer.render(folder)).toMatchObject({ state: "ready" });
    expect(ask("a", 20)).toMatchObject({ state: "ready" });
  });

  test("waiting Releases are notified, once each", async () => {
    const { ask, clock, changes } = aTenant();
    for (const name of ["a", "b", "c", "d", "e", "f"]) ask(name, 10);
    expect(ask("f", 10)).toEqual({ state: "pending" });
    await clock.advance(30_000);
    for (const name of ["c", "d", "e", "f"]) expect(ask(name, 10).state).toBe("waiting");
    await clock.advance(30 * MINUTE);
    expect(changes.toSorted()).toEqual(["a", "b", "c", "d", "e", "f"].map((name) => `shop/${name}`));
  });

  test("running programs count with their timeout, so that they exceed the quota by one run at most", async () => {
    const { ask, clock, programRuns } = aTenant();
    // Each may take 5 s.
    for (const name of ["a", "b", "c"]) ask(name, 3);
    await clock.settle();
    expect(programRuns).toHaveLength(2);
    await clock.advance(4_000);
    expect(programRuns).toHaveLength(3);
  });

  test("a change of the quota takes effect at once", async () => {
    const { ask, clock } = aTenant();
    ask("a", 20);
    await clock.advance(MINUTE);
    expect(ask("b", 1)).toEqual(waiting("2026-01-01T01:01:00Z"));
    expect(ask("b", 1, { quota: { from: policy, value: 15 } })).toEqual(waiting("2026-01-01T01:01:00Z", 15));
    ask("b", 1, { quota: { from: policy, value: 25 } });
    await clock.advance(3_000);
    expect(ask("b", 1, { quota: { from: policy, value: 25 } })).toMatchObject({ state: "ready" });
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("failed runs count, and runs before there was a quota", async () => {
    const { ask, clock, answerWith } = aTenant();
    answerWith(async ({ patience }) => {
      patience?.onRunning?.(true);
      await new Promise<void>((resolve) => clock.schedule(12_000, resolve));
      throw new Error("its process is gone");
    });
    ask("a", 0, { quota: null });
    await clock.advance(12_500);
    expect(ask("b", 0)).toEqual(waiting("2026-01-01T01:01:00Z"));
  });

  test("a deleted Release leaves its place in the queue to the next one, and leaves no timer behind", async () => {
    const { ask, clock, renderer } = aTenant();
    ask("a", 20);
    await clock.advance(MINUTE);
    for (const name of ["b", "c", "d", "e", "f"]) ask(name, 1);
    for (const name of ["b", "c", "d", "e"]) renderer.forget(`shop/${name}`);
    expect(ask("f", 1)).toEqual(waiting("2026-01-01T01:01:00Z"));
    await clock.advance(61 * MINUTE);
    expect(ask("f", 1)).toMatchObject({ state: "ready" });

    ask("a2", 20);
    await clock.advance(MINUTE);
    ask("g", 1);
    renderer.forget("shop/g");
    expect(clock.pendingDelaysMs).toEqual([]);
    ask("h", 1);
    await renderer.close();
    expect(clock.pendingDelaysMs).toEqual([]);
  });
});
