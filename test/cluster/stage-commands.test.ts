import { beforeAll, expect, test } from "vitest";
import { runApprovals } from "../../cli/commands/approvals.ts";
import { runDecision } from "../../cli/commands/approve.ts";
import { runFreeze, runThaw } from "../../cli/commands/freeze.ts";
import { runRollback } from "../../cli/commands/rollback.ts";
import type { LiveObject } from "../../crds/object.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import { aStageRightsFixture, type StageRightsFixture, users } from "./stage-rights-fixture.ts";

const apiVersion = "fairlead.dev/v1alpha1";
const revision = "4be1f0c2a4a1c7e2d7be29c8f9f2b6a3d5e8f701";

let fixture: StageRightsFixture;
let namespace = "";
let digest = "";
beforeAll(async () => {
  fixture = await aStageRightsFixture();
  namespace = fixture.namespace;
  digest = stageDigestOf([{ name: "web", namespace, digest: "b".repeat(32) }]);
  const source = { url: "https://git.test/shop.git" };
  const stages = [{ name: "prod", releases: [{ name: "web" }], enter: { approvals: { count: 1 } } }];
  const ref = { pipeline: "shop", stage: "prod" };
  const input = [
    { apiVersion, kind: "Pipeline", metadata: { name: "shop", namespace }, spec: { source, stages } },
    {
      apiVersion,
      kind: "Release",
      metadata: { name: "web", namespace },
      spec: { source: { ...source, ref }, render: { manifests: {} } },
    },
  ];
  await fixture.kubectl("create -f -", { input });
  const patch = (kind: string, name: string, status: object, user: string) =>
    fixture.as(user)([
      ...["patch", kind, name, "--subresource=status", "--type=merge"],
      ...["-p", JSON.stringify({ status })],
    ]);
  const next = { revision, digest: "b".repeat(32), create: 1, change: 2, delete: 0 };
  await patch("release", "web", { next }, users.operator);
  const waiting = [{ gate: "Approvals", message: "0 of 1 approvals" }];
  await patch(
    "pipeline",
    "shop",
    {
      candidates: [
        {
          number: 1,
          revision,
          subject: "Fix the cart",
          author: "Bob",
          committedAt: "2026-11-23T09:00:00Z",
          releases: [{ release: `${namespace}/web`, digest: "b".repeat(32) }],
        },
      ],
      stages: [{ name: "prod", phase: "Waiting", next: { revision, digest }, waiting }],
    },
    users.operator,
  );
});

/** The output of a command. */
async function printed(run: (screen: { print(line: string): void }) => Promise<void>): Promise<string> {
  const lines: string[] = [];
  await run({ print: (line) => void lines.push(line) });
  return lines.join("\n");
}

const flags = () => ({ kubeconfig: fixture.kubeconfigPath, namespace });
const stored = async (kind: string): Promise<readonly LiveObject[]> => {
  const list = await fixture.kubectl(["get", kind, "-n", namespace, "-o", "json"]);
  return (JSON.parse(list) as { readonly items: readonly LiveObject[] }).items;
};

test("approvals lists the stages that wait for the caller, until the caller has approved", async () => {
  const waiting = await printed((screen) => runApprovals({ kubeconfig: fixture.kubeconfigPath }, screen));
  expect(waiting.split("\n")).toEqual([
    `${namespace}/shop prod: commit 4be1f0c2a4 (Fix the cart, Bob), digest ${digest}; 0 of 1 approvals`,
    expect.stringContaining(
      `fairlead approve ${namespace}/shop prod --digest=${digest.slice(0, 12)} --kubeconfig=`,
    ),
  ]);

  const decide = (more: object = {}) =>
    printed((screen) =>
      runDecision({ pipeline: "shop", stage: "prod", decision: "Approve" }, { ...flags(), ...more }, screen),
    );
  expect(await decide({ dryRun: true })).toContain("Would create an Approval: admin approves");
  expect(await stored("approvals")).toEqual([]);
  const output = (await decide({ digest: digest.slice(0, 8), reason: "looks good" })).split("\n");
  expect(output.slice(0, -1)).toEqual([
    `stage prod of Pipeline ${namespace}/shop: commit 4be1f0c2a4 (Fix the cart, Bob)`,
    `Digest ${digest}`,
    `  ${namespace}/web  1 to create, 2 to change, 0 to delete`,
    "Waits for Approvals: 0 of 1 approvals",
  ]);
  const [approval] = await stored("approvals");
  expect(output.at(-1)).toBe(`Approval ${approval?.metadata.name} created: admin approves this digest`);
  const spec = { pipeline: "shop", stage: "prod", revision, digest, decision: "Approve" };
  expect(approval?.["spec"]).toMatchObject({ ...spec, by: "admin", reason: "looks good" });

  expect(await printed((screen) => runApprovals(flags(), screen))).toBe(
    "No stage waits for your approval; other stages that wait: 1 (--all lists them)",
  );
  expect(await printed((screen) => runApprovals({ ...flags(), all: true }, screen))).toContain(
    "you may not approve it, or have already approved it",
  );
  await expect(decide({ digest: "0000" })).rejects.toThrow(/No plan of stage prod/);
});

test("reject creates an Approval that rejects", async () => {
  const output = await printed((screen) =>
    runDecision({ pipeline: `${namespace}/shop`, stage: "prod", decision: "Reject" }, flags(), screen),
  );
  expect(output).toContain("admin rejects this digest");
  const rejections = (await stored("approvals")).filter(
    ({ spec }) => (spec as { decision?: string }).decision === "Reject",
  );
  expect(rejections).toHaveLength(1);
});

test("freeze creates a Freeze that thaw ends", async () => {
  const nowMs = Date.parse("2026-11-23T10:00:00Z");
  const freeze = { ...flags(), reason: "sale", stage: ["prod"], for: "8h", nowMs };
  const output = await printed((screen) => runFreeze("shop", freeze, screen));
  const [made] = await stored("freezes");
  const name = made?.metadata.name ?? "";
  expect(output.split("\n")).toEqual([
    `Freeze ${namespace}/${name} created: stage prod of Pipeline ${namespace}/shop until 2026-11-23T18:00:00Z`,
    `To end it: fairlead thaw ${namespace}/${name} --kubeconfig=${fixture.kubeconfigPath}`,
  ]);
  expect(made?.["spec"]).toEqual({
    pipelines: { names: ["shop"] },
    stages: ["prod"],
    until: "2026-11-23T18:00:00Z",
    reason: "sale",
    by: "admin",
  });
  await expect(
    printed((screen) => runFreeze("shop", { ...freeze, stage: ["nope"] }, screen)),
  ).rejects.toThrow(/Cannot find stage "nope"/);
  expect(await printed((screen) => runThaw(undefined, flags(), screen))).toBe(
    `${name}  until 2026-11-23T18:00:00Z  admin  sale`,
  );
  await expect(printed((screen) => runThaw("other", flags(), screen))).rejects.toThrow(
    `Cannot thaw "other": in namespace "${namespace}" there are ${name}`,
  );
  const thawed = await printed((screen) =>
    runThaw(`${namespace}/${name}`, { kubeconfig: fixture.kubeconfigPath }, screen),
  );
  expect(thawed).toBe(`Freeze ${namespace}/${name} ended`);
  expect(await stored("freezes")).toEqual([]);
});

test("a Freeze that names no stage or no Pipeline is rejected, because it would apply to nothing", async () => {
  for (const spec of [{ stages: [] }, { pipelines: { names: [] } }]) {
    const freeze = { apiVersion, kind: "Freeze", metadata: { name: "none", namespace } };
    const input = { ...freeze, spec: { reason: "sale", by: "admin", ...spec } };
    await expect(fixture.kubectl("create -f -", { input })).rejects.toThrow(/should have at least 1 items/);
  }
});

test("rollback of a Pipeline without a stage explains how to name one", async () => {
  const screen = { print: () => {}, withProgress: () => Promise.reject(new Error("unused")) };
  const rollback = runRollback({ name: "shop", revision: undefined }, flags(), screen);
  await expect(rollback).rejects.toThrow(
    /Cannot find Release "shop": .*To roll back a stage of a Pipeline, add --stage STAGE$/,
  );
});
