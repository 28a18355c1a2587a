import { describe, expect, test } from "vitest";
import { Release, type ReleaseSpec } from "../../../../crds/release.ts";
import { ReleaseError } from "../../../../operator/release/errors.ts";
import type { Rendered, RenderRequest, SourceFiles } from "../../../../operator/release/ports.ts";
import type { ProgramRequest } from "../../../../operator/release/render/render-task.ts";
import { createRenderer, type RenderRun } from "../../../../operator/release/render/renderer.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { MemoryFiles } from "../../../fakes/memory-files.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";

const rendered = (name: string): Rendered => ({
  manifests: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }],
  origins: ["main"],
  dependencies: new Map(),
  digest: name,
});

function aRenderer({ idleLimit }: { readonly idleLimit?: number } = {}) {
  const clock = new FakeClock();
  const changes: string[] = [];
  const runs: RenderRun[] = [];
  const programRuns: ProgramRequest[] = [];
  let answer: (request: ProgramRequest) => Promise<Rendered> = async ({ tree }) => rendered(tree);
  const renderer = createRenderer({
    clock,
    log: new RecordingLogger(),
    programs: {
      run(request) {
        programRuns.push(request);
        return answer(request);
      },
    },
    onChange: (key) => changes.push(key),
    observe: (run) => runs.push(run),
    ...(idleLimit !== undefined && { idleLimit }),
  });
  return {
    renderer,
    clock,
    changes,
    runs,
    programRuns,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
  };
}

const manifests = Release.spec.shape.render.parse({ manifests: {} });
const program = (inputs?: unknown) => Release.spec.shape.render.parse({ program: { inputs, timeout: "5s" } });
const aFolder = (name: string): MemoryFiles =>
  new MemoryFiles({ "a.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n` });

function request(
  key: string,
  files: SourceFiles & { readonly tree: string },
  render: ReleaseSpec["render"] = manifests,
  tenant = "t",
): RenderRequest {
  return { key, render, revision: { tree: files.tree, tenant, files } };
}

describe("createRenderer()", () => {
  test("answers pending, tells when there is an answer, and then gives the same every time", async () => {
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

  test("renders once for all Releases of a tenant with the same input, and tells each of them", async () => {
    const { renderer, clock, changes, programRuns } = aRenderer();
    const files = aFolder("a");
    for (const key of ["a", "b", "c"]) renderer.render(request(key, files, program({ x: 1, y: 2 })));
    await clock.settle();
    expect(changes).toEqual(["a", "b", "c"]);
    expect(programRuns).toEqual([
      {
        key: expect.any(String),
        tenant: "t",
        tree: files.tree,
        entry: "main.ts",
        inputs: { x: 1, y: 2 },
        timeoutMs: 5_000,
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
    { other: "tenant", make: () => request("b", aFolder("a"), program(1), "other") },
  ])("shares nothing with another $other", async ({ make }) => {
    const { renderer, clock, programRuns } = aRenderer();
    renderer.render(request("a", aFolder("a"), program(1)));
    renderer.render(make());
    await clock.settle();
    expect(programRuns).toHaveLength(2);
  });

  test("remembers a failure until the input changes", async () => {
    const { renderer, clock, changes } = aRenderer();
    const wrong = new MemoryFiles({ "a.yaml": "x: 1\n" });
    renderer.render(request("a", wrong));
    await clock.settle();
    const failed = {
      state: "failed",
      failure: { reason: "RenderFailed", message: "a.yaml:1: apiVersion: is missing" },
    };
    expect(renderer.render(request("a", wrong))).toEqual(failed);
    await clock.advance(24 * 3_600_000);
    expect(wrong.calls.list).toBe(1);
    expect(renderer.render(request("a", aFolder("a")))).toEqual({ state: "pending" });
    await clock.settle();
    expect(renderer.render(request("a", aFolder("a")))).toMatchObject({ state: "ready" });
    expect(changes).toEqual(["a", "a"]);
  });

  test("tries again, later and later, what failed for a reason that passes", async () => {
    const { renderer, clock, changes } = aRenderer();
    const files = Object.assign(aFolder("a"), {});
    let isDown = true;
    const list = files.list.bind(files);
    const failing = Object.assign(files, {
      list: async () => {
        if (isDown) throw new ReleaseError("SourceUnreachable", "the clone is made anew");
        return await list();
      },
    });
    renderer.render(request("a", failing));
    await clock.settle();
    expect(renderer.render(request("a", failing))).toMatchObject({
      failure: { reason: "SourceUnreachable" },
    });
    expect(clock.pendingDelaysMs).toEqual([1_000]);
    await clock.advance(1_000);
    expect(clock.pendingDelaysMs).toEqual([2_000]);
    expect(changes).toEqual(["a"]);
    isDown = false;
    await clock.advance(2_000);
    expect(renderer.render(request("a", failing))).toMatchObject({ state: "ready" });
    expect(changes).toEqual(["a", "a"]);
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("says nothing of the operator's machine, and logs it", async () => {
    const { renderer, clock } = aRenderer();
    const files = Object.assign(aFolder("a"), {
      list: () => Promise.reject(new Error("ENOENT /var/secret")),
    });
    renderer.render(request("a", files));
    await clock.settle();
    expect(renderer.render(request("a", files))).toEqual({
      state: "failed",
      failure: {
        reason: "RenderFailed",
        message:
          "the source could not be rendered, for a reason of the operator's own that is in its log; tried again",
      },
    });
  });

  test("gives a program that met a limit another chance, but not soon", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(() => Promise.reject(new ReleaseError("RenderLimit", "it ran for more than 5s")));
    renderer.render(request("a", aFolder("a"), program()));
    await clock.settle();
    await clock.advance(299_000);
    expect(programRuns).toHaveLength(1);
    await clock.advance(1_000);
    expect(programRuns).toHaveLength(2);
    expect(clock.pendingDelaysMs).toEqual([900_000]);
    renderer.forget("a");
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("does not begin what nobody wants any more", async () => {
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

  test("keeps former renders for a rollback, the newest of them if they are large", async () => {
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

  test("keeps what a Release has, however much others need", async () => {
    const { renderer, clock, programRuns } = aRenderer({ idleLimit: 0 });
    for (const name of ["1", "2", "3"]) renderer.render(request(name, aFolder(name), program()));
    await clock.settle();
    for (const name of ["1", "2", "3"])
      expect(renderer.render(request(name, aFolder(name), program()))).toMatchObject({ state: "ready" });
    expect(programRuns).toHaveLength(3);
  });

  test("makes slow programs wait for each other only", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(() => Promise.reject(new ReleaseError("RenderLimit", "too long")));
    for (const name of ["1", "2", "3", "4"]) {
      renderer.render(request(name, aFolder(name), program()));
      await clock.settle();
    }
    answerWith(() => new Promise(() => {}));
    for (const name of ["1", "2", "3", "4"]) renderer.render(request(name, aFolder(`${name}b`), program()));
    await clock.settle();
    expect(programRuns).toHaveLength(5);
    answerWith(async ({ tree }) => rendered(tree));
    renderer.render(request("quick", aFolder("quick"), program()));
    await clock.settle();
    expect(renderer.render(request("quick", aFolder("quick"), program()))).toMatchObject({ state: "ready" });
  });

  test("tells nobody anything after it was closed", async () => {
    const { renderer, clock, changes, programRuns } = aRenderer();
    renderer.render(request("a", aFolder("a"), program()));
    await renderer.close();
    renderer.render(request("b", aFolder("b"), program()));
    await clock.settle();
    expect(changes).toEqual([]);
    expect(programRuns).toHaveLength(1);
  });

  test("says what is wrong with a Release that names no way to render", async () => {
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
