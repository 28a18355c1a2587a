import { join } from "node:path";
import { expect, test } from "vitest";
import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { runPlan } from "../../cli/commands/plan.ts";
import { runVerify } from "../../cli/commands/verify.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import type { Candidate, StageStatus } from "../../crds/pipeline-status.ts";
import { Release } from "../../crds/release.ts";
import { rulesDigestOf } from "../../crds/stage-differences.ts";
import { fence } from "./fenced.ts";
import { eventually, testCluster } from "./fixture.ts";
import { applyResource, seen } from "./harness.ts";
import { install } from "./install.ts";
import { aReleaseHarness } from "./release-harness.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const program = join(import.meta.dirname, "pipeline-program.ts");

/** Names, because both stages are in one namespace, and the size. */
const differences = [
  { kind: "ConfigMap", fields: ["metadata.name", "data.size"] },
  { kind: "Secret", name: "db-*", fields: ["metadata.name"] },
];

interface Content {
  readonly size: string;
  readonly level?: string;
  readonly password?: string;
}

const filesOf = (stage: string, { password = "same", ...data }: Content) => ({
  [`shop/${stage}/web.json`]: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `web-${stage}` },
    data: { level: "info", ...data },
  },
  [`shop/${stage}/db.json`]: {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `db-${stage}` },
    stringData: { password },
  },
});

async function outputOf(run: (screen: { print(line: string): void }) => Promise<number>) {
  const lines: string[] = [];
  const code = await run({ print: (line) => void lines.push(line) });
  return { code, lines };
}

test("check 44: an undeclared difference between staging and prod prevents prod from starting, and the field is reported, as by the offline check", async () => {
  // Given an operator with all fences, and a Pipeline whose prod may differ from staging in size
  const kinds = [stampIn(sharedGroup), ...deliveryKinds];
  const releases = { enabled: true, requireServiceAccount: false };
  const watched = [{ resource: "configmaps" }, { resource: "secrets" }];
  await install(testCluster(), {
    kinds,
    // Use another name than the other tests of Pipelines: they run at the same time, and their roles do not cover Secrets.
    name: "differences",
    values: { releases: { ...releases, watchAll: true, kinds: watched } },
  });
  const { namespace, source, ...harness } = await aReleaseHarness();
  const fenced = await fence(namespace, {
    kinds,
    rights: "differences",
    policies: { ownership: true, leadership: true, releaseStatus: true },
    releases,
    watchedNamespaces: [namespace],
  });
  const pod = await fenced.aPod("operator-1");
  const commit = (staging: Content, prod: Content) =>
    harness.commit({ ...filesOf("staging", staging), ...filesOf("prod", prod) });
  const first = commit({ size: "1" }, { size: "3", level: "debug" });
  await harness.start(fenced.args, { program, ...pod });
  const url = `file://${source.path}`;
  for (const stage of ["staging", "prod"])
    await harness.release(stage, {
      source: { url, path: `shop/${stage}`, ref: { pipeline: "shop", stage } },
    });
  await applyResource(Pipeline, namespace, {
    name: "shop",
    source: { url, path: "shop" },
    interval: "1s",
    stages: [
      { name: "staging", releases: [{ name: "staging" }], pass: { soak: "0s" } },
      { name: "prod", releases: [{ name: "prod" }], differences },
    ],
  });
  const statusOf = async () => {
    const { status } = await seen(Pipeline, namespace, "shop");
    return (status ?? {}) as {
      readonly stages?: readonly StageStatus[];
      readonly candidates?: readonly Candidate[];
    };
  };
  const untilProd = (wanted: object) =>
    eventually(
      async () => {
        const status = await statusOf();
        expect(status.stages?.find(({ name }) => name === "prod")).toMatchObject(wanted);
        return status;
      },
      { what: `stage prod is ${JSON.stringify(wanted)}` },
    );

  // When a commit changes an undeclared field of prod
  const differs = (fields: string) =>
    `Release "${namespace}/prod" differs from Release "${namespace}/staging" of stage "staging" in ${fields}`;
  const waitsFor = (revision: string, fields: string) => ({
    phase: "Waiting",
    waiting: [
      {
        gate: "Differences",
        message: `${revision.slice(0, 12)}: ${differs(fields)}, which is not declared`,
      },
    ],
  });

  // Then staging passes it, prod does not start, and the field is named without its value
  const field = "ConfigMap #1: data.level";
  const waiting = await untilProd(waitsFor(first, field));
  expect(waiting.stages?.[0]).toMatchObject({ name: "staging", phase: "Passed" });
  expect(JSON.stringify(waiting)).not.toContain("debug");

  // And the output of `fairlead plan` also names it.
  const flags = { kubeconfig: testCluster().kubeconfigPath, namespace };
  const plan = await outputOf((screen) => runPlan("shop", { ...flags, revision: first, kinds }, screen));
  expect(plan.code).toBe(2);
  expect(plan.lines.join("\n")).toContain(`of stage staging in ${field}, which is not declared`);

  // When only the value of a Secret differs
  const second = commit({ size: "1" }, { size: "3", password: "hunter2" });

  // Then prod does not start either, and no part of the value is shown.
  const secret = await untilProd(waitsFor(second, "values of a Secret"));
  expect(JSON.stringify(secret)).not.toMatch(/hunter2|password/);

  // When a commit differs only in declared fields
  const third = commit({ size: "1" }, { size: "3" });

  // Then prod runs it, and the offline check computes the digest that both Releases reported.
  const passed = await untilProd({ phase: "Passed", running: { revision: third, proven: true } });
  // Its spec was written at its creation, for three plans, once for the names, and for the pin.
  expect((await seen(Release, namespace, "prod")).metadata.generation).toBe(6);
  const rules = rulesDigestOf(differences);
  const recorded = passed.candidates
    ?.find(({ revision }) => revision === third)
    ?.releases.map(({ compared = [] }) => compared.find((one) => one.rules === rules)?.digest);
  expect(recorded).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), recorded?.[0]]);
  const verified = await outputOf((screen) => runVerify({ name: "shop", stage: "prod" }, flags, screen));
  expect(verified.lines).toContain(
    `ok     Release ${namespace}/prod equals Release ${namespace}/staging of stage staging except for declared differences (${recorded?.[0]}): ConfigMap #1: data.size`,
  );
  expect(verified.code).toBe(0);
});
