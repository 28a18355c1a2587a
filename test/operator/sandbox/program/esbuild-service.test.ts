import { setTimeout } from "node:timers/promises";
import type { BuildOptions } from "esbuild";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { createEsbuild, type Esbuild } from "../../../../operator/sandbox/program/esbuild-service.ts";

let esbuild: Esbuild | undefined;
afterEach(() => esbuild?.close());

const building = (contents: string): BuildOptions => ({
  stdin: { contents },
  write: false,
  metafile: true,
  logLevel: "silent",
});

/** Nested so deeply that the bundler's stack grows until its process is killed. */
const tower = building("[".repeat(1_000_000));

describe("createEsbuild()", () => {
  test("returns the output, and the errors", async () => {
    esbuild = createEsbuild({ clock: systemClock() });
    expect(await esbuild.build(building("let a: number = 1"))).toMatchObject({ ok: false });
    expect(await esbuild.build(building("let a = 1"))).toMatchObject({
      ok: true,
      files: [{ text: "let a = 1;\n" }],
    });
  });

  test("kills a build that takes too much memory, and continues with the next one", async () => {
    esbuild = createEsbuild({ clock: systemClock(), memoryMiB: 128 });
    await expect(esbuild.build(tower)).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: bundling takes more than 128 MiB of memory",
    });
    expect(await esbuild.build(building("let a = 1"))).toMatchObject({ ok: true });
  });

  test("reports only the build that causes the failure, for any number of concurrent builds", async () => {
    esbuild = createEsbuild({ clock: systemClock(), memoryMiB: 128 });
    const held = building("let a = 1");
    // A build that runs as long as the one that causes the failure.
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let loads = 0;
    const slow: BuildOptions = {
      ...held,
      stdin: { contents: 'import "slow"' },
      bundle: true,
      plugins: [
        {
          name: "slow",
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^slow$/ }, () => ({ path: "slow", namespace: "slow" }));
            onLoad({ filter: /.*/, namespace: "slow" }, async () => {
              loads += 1;
              if (loads === 1) await released;
              return { contents: "" };
            });
          },
        },
      ],
    };
    const victim = esbuild.build(slow);
    while (loads === 0) await setTimeout(5);
    const culprit = esbuild.build(tower);
    await expect(culprit).rejects.toMatchObject({ reason: "RenderLimit" });
    release();
    expect(await victim).toMatchObject({ ok: true });
  });
});
