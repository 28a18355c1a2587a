import { describe, expect, test } from "vitest";
import { aFolder, aRenderer, program, rendered, request } from "../../fakes/renderer-bench.ts";

describe("createRenderer()", () => {
  test("a Release whose program ran long waits four times as long for its next render, others do not", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(({ tree, patience }) => {
      patience?.onRunning?.(true);
      return new Promise((resolve) => void clock.schedule(2_500, () => resolve(rendered(tree))));
    });
    renderer.render(request("a", aFolder("1"), program()));
    await clock.advance(2_500);
    for (const key of ["a", "b"]) renderer.render(request(key, aFolder(`2${key}`), program()));
    await clock.advance(5_999);
    expect(programRuns.map(({ key }) => key)).toEqual(["a", "b"]);
    await clock.advance(1);
    expect(programRuns.map(({ key }) => key)).toEqual(["a", "b", "a"]);
  });

  test("after a wasted run, the slow programs of the namespace wait, also those that were queued before", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(({ patience }) => {
      patience?.onRunning?.(true);
      patience?.onSlow();
      return new Promise((_, reject) => {
        patience?.unwanted.addEventListener("abort", () => reject(new Error("no longer needed")));
      });
    });
    for (const key of ["a", "b"]) renderer.render(request(key, aFolder(`1${key}`), program()));
    await clock.advance(2_000);
    expect(programRuns).toHaveLength(2);
    for (const key of ["a", "b"]) renderer.render(request(key, aFolder(`2${key}`), program()));
    await clock.advance(7_999);
    expect(programRuns).toHaveLength(2);
    await clock.advance(1);
    expect(programRuns.map(({ key }) => key)).toEqual(["a", "b", "a"]);
    await clock.advance(2_000);
    renderer.forget("a");
    await clock.advance(7_999);
    expect(programRuns).toHaveLength(3);
    await clock.advance(1);
    expect(programRuns.map(({ key }) => key)).toEqual(["a", "b", "a", "b"]);
  });
});
