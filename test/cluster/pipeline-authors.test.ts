import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { runApprovals } from "../../cli/commands/approvals.ts";
import { apiVersionOf } from "../../crds/object.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import type { StageStatus } from "../../crds/pipeline-status.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import { fence } from "./fenced.ts";
import { applyObjects, kubectl, testCluster } from "./fixture.ts";
import { applyResource } from "./harness.ts";
import { install } from "./install.ts";
import { aPipelineHarness } from "./pipeline-harness.ts";
import { aConfigMapFile } from "./release-harness.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const program = join(import.meta.dirname, "pipeline-program.ts");
const rbac = "rbac.authorization.k8s.io";

/** Users who may approve all stages of a namespace. */
async function grantApproval(namespace: string, users: readonly string[]): Promise<void> {
  const metadata = { name: "approve", namespace };
  const rules = [
    { apiGroups: [Pipeline.group], resources: ["stages"], verbs: ["approve"] },
    { apiGroups: [Pipeline.group], resources: ["approvals"], verbs: ["create", "get"] },
  ];
  await applyObjects(
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "approve" },
      subjects: users.map((name) => ({ apiGroup: rbac, kind: "User", name })),
    },
  );
}

test("with notAuthor the approval of a commit's author does not count, and no approval counts while an address is not mapped", async () => {
  // Given an operator with the policies for approvals, and a Pipeline of two stages
  const kinds = [stampIn(sharedGroup), ...deliveryKinds];
  const releases = { enabled: true, requireServiceAccount: false };
  await install(testCluster(), {
    kinds,
    name: "pipelines",
    values: { releases: { ...releases, watchAll: true, kinds: [{ resource: "configmaps" }] } },
  });
  const { namespace, source, ...harness } = await aPipelineHarness();
  const fenced = await fence(namespace, {
    kinds,
    rights: "pipelines",
    policies: { ownership: true, leadership: true, releaseStatus: true, stages: true },
    releases,
    watchedNamespaces: [namespace],
  });
  await grantApproval(namespace, ["ada", "eve"]);
  onTestFinished(async () => void (await kubectl(["delete", "relpol", namespace, "--ignore-not-found"])));
  const map = (...users: readonly string[]): Promise<unknown> =>
    applyObjects({
      apiVersion: apiVersionOf(ReleasePolicy),
      kind: ReleasePolicy.kind,
      metadata: { name: namespace },
      spec: { rules: [], authors: users.map((user) => ({ user, emails: [`${user}@example.dev`] })) },
    });
  await map("ada");
  const commit = (version: string, author: string): string => {
    const file = (name: string) => JSON.stringify(aConfigMapFile(name, { version }));
    const files = { "shop/dev/web.json": file("web-dev"), "shop/prod/web.json": file("web-prod") };
    return source.commitByOthers(files, { author: `${author} <${author}@example.dev>` });
  };
  const pod = await fenced.aPod("operator-1");
  // The operator's clone begins with the second commit.
  commit("0", "ada");
  const first = commit("1", "ada");
  const operator = await harness.start(fenced.args, { program, ...pod });
  const url = `file://${source.path}`;
  for (const stage of ["dev", "prod"])
    await harness.release(stage, {
      source: { url, path: `shop/${stage}`, ref: { pipeline: "shop", stage } },
    });
  await applyResource(Pipeline, namespace, {
    name: "shop",
    source: { url, path: "shop" },
    interval: "1s",
    stages: [
      { name: "dev", releases: [{ name: "dev" }] },
      { name: "prod", releases: [{ name: "prod" }], enter: { approvals: { count: 1, notAuthor: true } } },
    ],
  });
  const untilProd = (wanted: object): Promise<StageStatus> => harness.untilStage("shop", "prod", wanted);
  const untilGate = (revision: string, message: string): Promise<StageStatus> =>
    untilProd({
      next: { revision },
      waiting: [{ gate: "Approvals", message: expect.stringContaining(message) }],
    });
  const approve = async (user: string, { next }: StageStatus): Promise<void> => {
    const name = `${user}-${next?.digest}`.slice(0, 40);
    const spec = { pipeline: "shop", stage: "prod", ...next, decision: "Approve", by: user };
    const input = JSON.stringify({
      apiVersion: apiVersionOf(Pipeline),
      kind: "Approval",
      metadata: { name, namespace },
      spec,
    });
    await kubectl(["create", `--as=${user}`, "-f", "-"], { input });
  };

  // When the author of the whole history approves, then it does not count, and the approval of another user does
  const waiting = await untilGate(first, "0 of 1 approvals, not by an author of the commits (ada)");
  await approve("ada", waiting);
  const refused = await untilGate(first, "does not count: ada is an author of the commits");
  const lines: string[] = [];
  const screen = { print: (line: string) => void lines.push(line) };
  const { kubeconfigPath: kubeconfig } = testCluster();
  await runApprovals({ kubeconfig, namespace, all: true }, screen);
  expect(lines[0]).toContain("not by an author of the commits (ada)");
  await approve("eve", refused);
  await untilProd({ phase: "Passed", running: { revision: first, proven: true } });

  // When one of two later commits is by an address that no policy has, then no approval counts
  commit("2", "bob");
  const third = commit("3", "eve");
  const unknown = await untilGate(third, "(b…@example.dev)");
  await approve("ada", unknown);
  await map("ada", "eve");
  await untilGate(third, "no ReleasePolicy names in spec.authors the author of commit");

  // When the platform maps it, then the approval counts: its user has written nothing since the stage's current commit.
  await map("ada", "bob", "eve");
  await untilProd({ phase: "Passed", running: { revision: third, proven: true } });

  // And after a force push the commits since then are unknown.
  source.resetTo(first);
  const rewritten = commit("4", "bob");
  const closed = await untilGate(
    rewritten,
    `commit ${rewritten.slice(0, 12)} does not come after commit ${third.slice(0, 12)}`,
  );
  await approve("ada", closed);
  await untilGate(rewritten, "no approval counts");

  // No address is in a status, in an event or in the log of the operator.
  await operator.stop();
  const objects = await kubectl(["get", "pipelines,promotions,events", "-n", namespace, "-o", "json"]);
  const texts = JSON.stringify([operator.log, operator.output, objects]);
  expect(texts).not.toMatch(/(ada|bob|eve)@example\.dev/);
});
