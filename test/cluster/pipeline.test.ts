import { join } from "node:path";
import { expect, test } from "vitest";
import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { fence } from "./fenced.ts";
import { kubectl, kubectlJson, testCluster } from "./fixture.ts";
import { applyResource, type SeenResource, seen } from "./harness.ts";
import { install } from "./install.ts";
import { aPipelineHarness } from "./pipeline-harness.ts";
import { aConfigMapFile } from "./release-harness.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const program = join(import.meta.dirname, "pipeline-program.ts");

test("a Pipeline promotes a commit from dev to prod, waits for an approval, and rolls back on request", async () => {
  // Given an operator with all fences, and a Release for each of two stages
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
    policies: { ownership: true, leadership: true, releaseStatus: true },
    releases,
    watchedNamespaces: [namespace],
  });
  const pod = await fenced.aPod("operator-1");
  const commit = (version: string) =>
    harness.commit({
      "shop/dev/web.json": aConfigMapFile("web-dev", { version }),
      "shop/prod/web.json": aConfigMapFile("web-prod", { version }),
    });
  const first = commit("1");
  await harness.start(fenced.args, { program, ...pod });
  const url = `file://${source.path}`;
  for (const stage of ["dev", "prod"])
    await harness.release(stage, {
      source: { url, path: `shop/${stage}`, ref: { pipeline: "shop", stage } },
    });

  // When a Pipeline follows the repository
  await applyResource(Pipeline, namespace, {
    name: "shop",
    source: { url, path: "shop" },
    interval: "1s",
    stages: [
      { name: "dev", releases: [{ name: "dev" }], pass: { soak: "1s" } },
      { name: "prod", releases: [{ name: "prod" }], enter: { approvals: { count: 1 } } },
    ],
  });

  // Then dev has the commit, and prod waits for an approval of its target
  const untilStage = (name: string, wanted: object) => harness.untilStage("shop", name, wanted);
  await untilStage("dev", { phase: "Passed", running: { revision: first, proven: true } });
  const waiting = await untilStage("prod", { phase: "Waiting", waiting: [{ gate: "Approvals" }] });
  expect((await seen(Release, namespace, "prod")).spec).not.toHaveProperty("revision");
  expect(JSON.stringify(waiting)).toMatch(/0 of 1 approvals/);

  // When a user skips the approval, with a name and a reason
  const asks = { apiVersion: "fairlead.dev/v1alpha1", kind: Promotion.kind };
  const request = { pipeline: "shop", stage: "prod", revision: first, by: "ann", reason: "launch" };
  const apply = (name: string, spec: object) =>
    kubectl(["apply", "-f", "-"], {
      input: JSON.stringify({ ...asks, metadata: { name, namespace }, spec }),
    });
  await apply("launch", { ...request, bypass: ["Approvals"] });

  // Then prod runs it, and the Promotion contains the user
  await untilStage("prod", { phase: "Passed", running: { revision: first, proven: true } });
  const { items } = await kubectlJson<{ readonly items: readonly SeenResource[] }>([
    "get",
    "promotions",
    "-n",
    namespace,
  ]);
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "launch",
    "shop-dev-1",
    "shop-prod-1",
  ]);
  expect(items.find(({ metadata }) => metadata.name === "shop-prod-1")?.spec).toMatchObject({
    by: "ann",
    reason: "launch",
    bypass: ["Approvals"],
  });
  await kubectl(["wait", "promotion/launch", "-n", namespace, "--for=condition=Ready", "--timeout=180s"]);

  // And its spec is immutable.
  await expect(apply("launch", { ...request, bypass: [] })).rejects.toThrow("is immutable");

  // When a second commit was deployed, and prod is rolled back and held
  const second = commit("2");
  await untilStage("dev", { phase: "Passed", running: { revision: second } });
  await apply("next", { ...request, revision: second, bypass: ["Approvals"] });
  await untilStage("prod", { phase: "Passed", running: { revision: second } });
  await apply("back", { ...request, bypass: ["Approvals"], hold: true });

  // Then it stays there, and its pin is removed with the Pipeline, which deploys nothing.
  await untilStage("prod", { phase: "Held", running: { revision: first } });
  await kubectl(["delete", "pipeline", "shop", "-n", namespace]);
  const left = await seen(Release, namespace, "prod");
  expect(left.spec).not.toHaveProperty("revision");
  await harness.until("prod", { status: "True" });
  expect((await seen(Release, namespace, "prod")).status?.["deployed"]).toMatchObject({ revision: first });
});
