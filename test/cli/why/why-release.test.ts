import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { whyRelease } from "../../../cli/why/why-release.ts";
import { exitCodeOf } from "../../../cli/why/why-report.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { type AReleaseOptions, aRelease, condition, deployed } from "../release/a-release.ts";
import { removeLauncher } from "../without-launcher.ts";
import { aSession, someCommands } from "./a-session.ts";

const releases = "/apis/fairlead.dev/v1alpha1/namespaces";
const observed = { observedGeneration: 1 };
/** A source that does not exist. */
const noSource = () => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-why-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { url: `file://${folder}/none.git` };
};
const explain = (
  options: AReleaseOptions,
  {
    there = {},
    forbidden = [],
    weakSandbox = true,
  }: { there?: Record<string, KubernetesObject>; forbidden?: string[]; weakSandbox?: boolean } = {},
) =>
  whyRelease(aRelease(options), {
    ...{ session: aSession(there, { forbidden }), nowMs: 0, timeoutMs: 10_000, weakSandbox },
    commands: someCommands,
    shapeOf: builtInShapeOf,
    explainOther: ({ namespace, name }) => `fairlead why release/${name} -n ${namespace}`,
  });

describe("a Release that the operator does not process", () => {
  test.for([
    {
      why: "it is suspended",
      spec: { suspend: true },
      conditions: [condition("Ready", "True", { reason: "Suspended", message: "Suspended" })],
      waits: ["Suspended"],
    },
    {
      why: "the platform does not allow it",
      spec: {},
      conditions: [condition("Applied", "False", { reason: "PolicyRefused" })],
      waits: ["PolicyRefused"],
    },
    {
      why: "its spec cannot be used",
      spec: {},
      conditions: [condition("Applied", "False", { reason: "SpecInvalid" })],
      waits: ["SpecInvalid"],
    },
  ])("is not rendered here either: $why", async ({ spec, conditions, waits }) => {
    const found = await explain({
      spec: { ...spec, source: noSource() },
      status: { ...observed, conditions },
    });
    expect(found.waits.map(({ on }) => on)).toEqual(waits);
    expect(found).toMatchObject({ wants: undefined, unknown: [] });
  });
});

describe("a Release whose source is unreachable from this machine", () => {
  const lost = (reason: string) => condition("Sourced", "False", { reason, message: "the operator says so" });

  test("waits for it as the operator does", async () => {
    const { waits } = await explain({
      spec: { source: noSource() },
      status: { ...observed, conditions: [] },
    });
    expect(waits.map(({ on }) => on)).toEqual([expect.stringMatching(/^Source/)]);
  });

  test("reports it only once", async () => {
    const [{ on = "" } = {}] = (await explain({ spec: { source: noSource() }, status: observed })).waits;
    const { waits } = await explain({
      spec: { source: noSource() },
      status: { ...observed, conditions: [lost(on)] },
    });
    expect(waits).toMatchObject([{ on, message: "the operator says so" }]);
  });

  test("is unknown if the operator can reach it: this machine may lack access", async () => {
    const conditions = [condition("Sourced", "True")];
    const spec = { source: { url: "https://127.0.0.1:1/none.git" } };
    const { waits, unknown } = await explain({ spec, status: { ...observed, conditions } });
    expect(waits).toEqual([]);
    expect(unknown).toEqual([expect.stringMatching(/^Desired objects: Cannot render Release shop\/web/)]);
  });
});

test("a source is not read if the kernel does not isolate processes, and the rest is reported", async () => {
  removeLauncher();
  const conditions = [condition("Ready", "False", { reason: "Failed", message: "the operator says so" })];
  const options = { spec: { source: noSource() }, status: { ...observed, conditions } };
  const report = await explain(options, { weakSandbox: false });
  expect(report.waits).toMatchObject([{ message: "the operator says so" }]);
  expect(report.unknown).toEqual([
    expect.stringMatching(/^Desired objects: Cannot read a source .*--weak-sandbox$/),
  ]);
  expect(exitCodeOf(report)).toBe(2);
});

describe("a Release that depends on others", () => {
  const waiting = (there: Record<string, KubernetesObject>, forbidden: string[] = []) =>
    explain(
      {
        spec: { source: noSource(), dependsOn: [{ name: "db" }, { name: "far", namespace: "data" }] },
        status: { ...observed, conditions: [] },
      },
      { there, forbidden },
    );

  test("names each that is not ready, and the command that explains it", async () => {
    const there = { [`${releases}/shop/releases/db`]: aRelease({ name: "db" }) };
    const { waits, next } = await waiting(there);
    expect(waits.map(({ message }) => message).slice(0, 2)).toEqual([
      expect.stringContaining("does not allow Releases of namespace shop to depend on it"),
      expect.stringMatching(/^Release shop\/db /),
    ]);
    expect(next).toContain("fairlead why release/db -n shop");
    // The report does not reveal whether a hidden one exists.
    expect(next).not.toContain("fairlead why release/far -n data");
  });

  test("names those that the user may not read", async () => {
    const { unknown } = await waiting({}, [`${releases}/data/releases/far`]);
    expect(unknown).toEqual([expect.stringContaining("Release data/far, a dependency")]);
  });
});

test("the last commit is shown, and the one in progress", async () => {
  const { changed } = await explain({
    spec: { suspend: true },
    status: { ...observed, attempted: "2b", revision: "1a", history: [deployed("1a")] },
  });
  expect(changed).toEqual([
    "commit 2b is the last one that was tried, and is not deployed",
    "commit 1a00000000 by Ada (Commit 1a) was deployed at 2026-01-01T00:00:01Z: Ready",
  ]);
});
