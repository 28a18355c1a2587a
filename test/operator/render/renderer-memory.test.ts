import { describe, expect, test } from "vitest";
import { MemoryFiles } from "../../fakes/memory-files.ts";
import { aFolder, aRenderer, program, request } from "../../fakes/renderer-bench.ts";

const mebibyte = 2 ** 20;
const keptLimits = { all: 8 * mebibyte, perNamespace: 4 * mebibyte };

/** A folder of some KiB whose objects take 3 MiB of memory. */
const heavy = (name: string): MemoryFiles =>
  new MemoryFiles({
    "a.json": `{"apiVersion":"v1","kind":"List","metadata":{"name":"${name}"},"items":[{"apiVersion":"v1","kind":"Heavy","metadata":{"name":"${name}"},"spec":[${"{},".repeat(34_000)}{}]}]}`,
  });

describe("createRenderer()", () => {
  test("fails only the render that exceeds the limit of its namespace", async () => {
    const { renderer, clock } = aRenderer({ keptLimits });
    for (const name of ["a", "b"])
      renderer.render(request(`bad/${name}`, heavy(name), undefined, { namespace: "bad" }));
    renderer.render(request("shop/web", heavy("c")));
    await clock.advance(60_000);
    const state = (key: string, name: string, namespace?: string) =>
      renderer.render(request(key, heavy(name), undefined, namespace === undefined ? {} : { namespace }));
    expect(state("bad/a", "a", "bad")).toMatchObject({ state: "ready" });
    expect(state("bad/b", "b", "bad")).toMatchObject({
      state: "failed",
      failure: {
        reason: "RenderLimit",
        message: expect.stringMatching(
          /namespace bad take 5\.9 MiB of memory, at most 4\.0 MiB are allowed$/,
        ),
      },
    });
    expect(state("shop/web", "c")).toMatchObject({ state: "ready" });
  });

  test("renders again when memory may be available", async () => {
    const { renderer, clock, changes } = aRenderer({ keptLimits, idleLimit: 0 });
    for (const name of ["a", "b"]) renderer.render(request(`shop/${name}`, heavy(name)));
    await clock.advance(60_000);
    renderer.forget("shop/a");
    await clock.advance(300_000);
    expect(renderer.render(request("shop/b", heavy("b")))).toMatchObject({ state: "ready" });
    expect(changes).toEqual(["shop/a", "shop/b", "shop/b"]);
  });

  test("counts a render again that a Release uses again", async () => {
    const { renderer, clock } = aRenderer({ keptLimits });
    renderer.render(request("shop/a", heavy("a")));
    await clock.advance(60_000);
    renderer.render(request("shop/a", aFolder("small")));
    renderer.render(request("shop/b", heavy("b")));
    await clock.advance(60_000);
    expect(renderer.render(request("shop/b", heavy("b")))).toMatchObject({ state: "ready" });
    expect(renderer.render(request("shop/a", heavy("a")))).toMatchObject({ state: "failed" });
  });

  test("limits the objects of programs as well", async () => {
    const { renderer, clock, answerWith } = aRenderer({ keptLimits });
    answerWith(async () => ({
      manifests: [
        {
          apiVersion: "v1",
          kind: "Heavy",
          metadata: { name: "a" },
          spec: Array.from({ length: 50_000 }, () => ({})),
        },
      ],
      origins: ["a"],
      dependencies: new Map(),
      digest: "a",
    }));
    renderer.render(request("shop/web", aFolder("a"), program()));
    await clock.settle();
    expect(renderer.render(request("shop/web", aFolder("a"), program()))).toMatchObject({ state: "failed" });
  });
});
