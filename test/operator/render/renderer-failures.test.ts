import { describe, expect, test } from "vitest";
import { SourceError } from "../../../operator/errors.ts";
import { MemoryFiles } from "../../fakes/memory-files.ts";
import { aFolder, aRenderer, program, request } from "../../fakes/renderer-bench.ts";

describe("createRenderer(), if renders fail", () => {
  test("keeps a failure until the input changes", async () => {
    const { renderer, clock, changes } = aRenderer();
    const wrong = new MemoryFiles({ "a.yaml": "x: 1\n" });
    renderer.render(request("a", wrong));
    await clock.settle();
    const failed = {
      state: "failed",
      failure: {
        reason: "RenderFailed",
        message:
          "a.yaml:1: apiVersion: is missing; if it is not a Kubernetes object, exclude the file in .fairleadignore",
      },
    };
    expect(renderer.render(request("a", wrong))).toEqual(failed);
    await clock.advance(24 * 3_600_000);
    expect(wrong.calls.list).toBe(1);
    expect(renderer.render(request("a", aFolder("a")))).toEqual({ state: "pending" });
    await clock.settle();
    expect(renderer.render(request("a", aFolder("a")))).toMatchObject({ state: "ready" });
    expect(changes).toEqual(["a", "a"]);
  });

  test("retries temporary failures with backoff", async () => {
    const { renderer, clock, changes } = aRenderer();
    const files = Object.assign(aFolder("a"), {});
    let isDown = true;
    const list = files.list.bind(files);
    const failing = Object.assign(files, {
      list: async () => {
        if (isDown) throw new SourceError("SourceUnreachable", "the clone is made anew");
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
    // It is a result like any other, and cached for a rollback.
    renderer.render(request("a", aFolder("b")));
    await clock.settle();
    expect(renderer.render(request("a", failing))).toMatchObject({ state: "ready" });
  });

  test("does not expose the operator's machine in a message, and logs it", async () => {
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
          "the source could not be rendered because of an internal error (see the operator's log); retrying",
      },
    });
  });

  test("retries a program that exceeded a limit, after a long delay", async () => {
    const { renderer, clock, programRuns, answerWith } = aRenderer();
    answerWith(() => Promise.reject(new SourceError("RenderLimit", "it ran for more than 5s")));
    renderer.render(request("a", aFolder("a"), program()));
    await clock.settle();
    await clock.advance(299_000);
    expect(programRuns).toHaveLength(1);
    await clock.advance(1_500);
    expect(programRuns).toHaveLength(2);
    expect(clock.pendingDelaysMs).toEqual([900_000]);
    renderer.forget("a");
    expect(clock.pendingDelaysMs).toEqual([]);
  });
});
