import { describe, expect, test } from "vitest";
import type { ReleaseSpec } from "../../../crds/release.ts";
import { SourceError } from "../../../operator/errors.ts";
import { aFolder, aRenderer, manifests, program, rendered, request } from "../../fakes/renderer-bench.ts";

describe("createRenderer()", () => {
  test("answers pending, notifies when there is an answer, and then returns the same every time", async () => {
    const { renderer, clock, changes, runs } = aRenderer();
    const files = aFolder("a");
    expect(renderer.render(request("shop/web", files))).toEqual({ state: "pending" });
    expect(renderer.render(request("shop/web", files))).toEqual({ state: "pending" });
    await clock.settle();
    expect(changes).toEqual(["shop/web"]);
    const state = renderer.render(request("shop/web", files));
    expect(state).toMatchObject({ state: "ready", rendered: { origins: ["a.yaml:1"] } });
    expect(renderer.render(request("shop/web", files, { ...manifests }))).toBe(state);
    expect(files.calls).toEqual({ list: 1, read: 1 });
    expect(runs).toEqual([{ way: "manifests", outcome: "ready", durationMs: 0 }]);
  });

  test("renders once for all Releases of a namespace with the same input, and notifies each of them", async () => {
    const { renderer, clock, changes, programRuns } = aRenderer();
    const files = aFolder("a");
    for (const key of ["a", "b", "c"]) renderer.render(request(key, files, program({ x: 1, y: 2 })));
    await clock.settle();
    expect(changes).toEqual(["a", "b", "c"]);
    expect(programRuns).toEqual([
      {
        key: expect.any(String),
        namespace: "shop",
        repositoryId: "r",
        tree: files.tree,
        entry: "main.ts",
        inputs: { x: 1, y: 2 },
        timeoutMs: 5_000,
        patience: expect.anything(),
        files,
      },
    ]);
    expect(renderer.render(request("b", files, program({ y: 2, x: 1 })))).toMatchObject({ state: "ready" });
    await clock.settle();
    expect(programRuns).toHaveLength(1);
  });

  test.for([
    { other: "tree", make: () => request("b", aFolder("b"), program(1)) },
    { other: "inputs", make: () => request("b", aFolder("a"), program(2)) },
    { other: "namespace", make: () => request("b", aFolder("a"), program(1), { namespace: "other" }) },
    { other: "repository", make: () => request("b", aFolder("a"), program(1), { repositoryId: "other" }) },
  ])("shares nothing with another $other", async ({ make }) => {
    const { renderer, clock, programRuns } = aRenderer();
    renderer.render(request("a", aFolder("a"), program(1)));
    renderer.render(make());
    await clock.settle();
    expect(programRuns).toHaveLength(2);
  });

  test("does not start a render that is no longer needed", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(() => new Promise(() => {}));
    for (const name of ["1", "2", "3", "4"]) renderer.render(request(name, aFolder(name), program()));
    const old = aFolder("old");
    renderer.render(request("a", old, program()));
    renderer.render(request("a", aFolder("new"), program()));
    renderer.forget("a");
    await clock.settle();
    expect(programRuns).toHaveLength(4);
  });

  test("keeps earlier renders for a rollback, only the newest of them if they are large", async () => {
    const { renderer, clock, programRuns } = aRenderer({ idleLimit: 2_500 });
    for (const name of ["1", "2", "3", "4"]) {
      renderer.render(request("a", aFolder(name), program()));
      await clock.settle();
    }
    expect(renderer.render(request("a", aFolder("3"), program()))).toMatchObject({ state: "ready" });
    expect(renderer.render(request("a", aFolder("4"), program()))).toMatchObject({ state: "ready" });
    expect(programRuns).toHaveLength(4);
    expect(renderer.render(request("a", aFolder("1"), program()))).toEqual({ state: "pending" });
  });

  test("keeps a render that a Release uses again", async () => {
    const { renderer, clock, programRuns } = aRenderer({ idleLimit: 2_500 });
    for (const name of ["1", "2", "1"]) {
      renderer.render(request("a", aFolder(name), program()));
      await clock.settle();
    }
    for (const name of ["3", "4", "5", "6"]) {
      renderer.render(request("b", aFolder(name), program()));
      await clock.settle();
    }
    expect(programRuns).toHaveLength(6);
    expect(renderer.render(request("c", aFolder("1"), program()))).toMatchObject({ state: "ready" });
  });

  test("keeps a render that one Release no longer uses and another one does", async () => {
    const { renderer, clock, programRuns } = aRenderer({ idleLimit: 0 });
    for (const key of ["a", "b"]) renderer.render(request(key, aFolder("1"), program()));
    await clock.settle();
    renderer.forget("a");
    expect(renderer.render(request("c", aFolder("1"), program()))).toMatchObject({ state: "ready" });
    expect(programRuns).toHaveLength(1);
  });

  test("renders again when a Release has the same files from another repository", async () => {
    const { renderer, clock } = aRenderer();
    const render = program();
    renderer.render(request("a", aFolder("1"), render, { repositoryId: "t" }));
    await clock.settle();
    expect(renderer.render(request("a", aFolder("1"), render, { repositoryId: "u" }))).toEqual({
      state: "pending",
    });
  });

  test("keeps the renders in use, for any amount of memory that others need", async () => {
    const { renderer, clock, programRuns } = aRenderer({ idleLimit: 0 });
    for (const name of ["1", "2", "3"]) renderer.render(request(name, aFolder(name), program()));
    await clock.settle();
    for (const name of ["1", "2", "3"])
      expect(renderer.render(request(name, aFolder(name), program()))).toMatchObject({ state: "ready" });
    expect(programRuns).toHaveLength(3);
  });

  test("does not make a namespace wait for the programs of another", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(({ namespace }) =>
      namespace === "bad" ? new Promise(() => {}) : Promise.resolve(rendered("a")),
    );
    for (const name of ["1", "2", "3", "4", "5", "6"])
      renderer.render(request(`bad/${name}`, aFolder(name), program(), { namespace: "bad" }));
    renderer.render(request("shop/web", aFolder("web"), program()));
    await clock.settle();
    expect(programRuns.map(({ key }) => key)).toEqual(["bad/1", "bad/2", "bad/3", "bad/4", "shop/web"]);
    expect(renderer.render(request("shop/web", aFolder("web"), program()))).toMatchObject({ state: "ready" });
  });

  test("does not make a namespace wait for the slow programs of another", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(() => Promise.reject(new SourceError("RenderLimit", "too long")));
    for (const namespace of ["bad", "shop"])
      renderer.render(request(`${namespace}/web`, aFolder(namespace), program(), { namespace }));
    await clock.settle();
    answerWith(() => new Promise(() => {}));
    for (const namespace of ["bad", "shop"])
      renderer.render(request(`${namespace}/web`, aFolder(`${namespace} 2`), program(), { namespace }));
    await clock.advance(500);
    expect(programRuns.slice(2).map(({ key }) => key)).toEqual(["bad/web", "shop/web"]);
  });

  test("makes slow programs wait only for each other", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(() => Promise.reject(new SourceError("RenderLimit", "too long")));
    for (const name of ["1", "2", "3", "4"]) {
      renderer.render(request(name, aFolder(name), program()));
      await clock.settle();
    }
    answerWith(() => new Promise(() => {}));
    for (const name of ["1", "2", "3", "4"]) renderer.render(request(name, aFolder(`${name}b`), program()));
    await clock.advance(500);
    expect(programRuns).toHaveLength(5);
    answerWith(async ({ tree }) => rendered(tree));
    renderer.render(request("quick", aFolder("quick"), program()));
    await clock.settle();
    expect(renderer.render(request("quick", aFolder("quick"), program()))).toMatchObject({ state: "ready" });
  });

  test("cancels a run that is no longer needed because its Release has another commit, or was deleted", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(() => new Promise(() => {}));
    renderer.render(request("a", aFolder("1"), program()));
    await clock.settle();
    expect(programRuns[0]?.patience?.unwanted.aborted).toBe(false);
    renderer.render(request("a", aFolder("2"), program()));
    await clock.settle();
    expect(programRuns.map(({ patience }) => patience?.unwanted.aborted)).toEqual([true, false]);
    renderer.forget("a");
    expect(programRuns[1]?.patience?.unwanted.aborted).toBe(true);
  });

  test("a run that was cancelled as unwanted runs again if it is needed by then, and is not a failure", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(
      ({ patience }) =>
        new Promise((_, reject) => {
          patience?.unwanted.addEventListener("abort", () =>
            clock.schedule(10, () => reject(new SourceError("RenderLimit", "no longer needed"))),
          );
        }),
    );
    renderer.render(request("a", aFolder("1"), program()));
    await clock.settle();
    renderer.forget("a");
    answerWith(async ({ tree }) => rendered(tree));
    expect(renderer.render(request("b", aFolder("1"), program()))).toEqual({ state: "pending" });
    await clock.advance(10);
    expect(programRuns).toHaveLength(2);
    expect(renderer.render(request("b", aFolder("1"), program()))).toMatchObject({ state: "ready" });
  });

  test("a slow program starts later and has low priority from then on, also at another commit", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(({ patience }) => {
      patience?.onSlow();
      return new Promise(() => {});
    });
    for (const name of ["1", "2"]) {
      renderer.render(request("a", aFolder(name), program()));
      await clock.settle();
    }
    expect(programRuns).toHaveLength(1);
    await clock.advance(500);
    expect(programRuns.map(({ patience }) => patience?.isSlow)).toEqual([false, true]);
  });

  test("reports nothing after it was closed", async () => {
    const { renderer, clock, changes, programRuns } = aRenderer();
    renderer.render(request("a", aFolder("a"), program()));
    await renderer.close();
    renderer.render(request("b", aFolder("b"), program()));
    await clock.settle();
    expect(changes).toEqual([]);
    expect(programRuns).toHaveLength(1);
  });

  test("reports a Release without a way to render", async () => {
    const { renderer, clock } = aRenderer();
    renderer.render(request("a", aFolder("a"), {} as ReleaseSpec["render"]));
    await clock.settle();
    expect(renderer.render(request("a", aFolder("a"), {} as ReleaseSpec["render"]))).toEqual({
      state: "failed",
      failure: {
        reason: "RenderFailed",
        message: "spec.render: expected manifests or program, found nothing",
      },
    });
  });
});
