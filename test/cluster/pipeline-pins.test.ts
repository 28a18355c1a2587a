import { expect, test } from "vitest";
import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import { Release } from "../../crds/release.ts";
import { fence } from "./fenced.ts";
import { aNamespace, eventually, kubectl, testCluster } from "./fixture.ts";
import { applyResource, type SeenResource, seen } from "./harness.ts";
import { install } from "./install.ts";
import { aPipelineHarness } from "./pipeline-harness.ts";
import { aConfigMapFile, type ReleaseHarness } from "./release-harness.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** Creates a Release that names a stage, from the folder of its name. */
const join = ({ source, release }: ReleaseHarness, name: string, ref: object): Promise<SeenResource> =>
  release(name, { source: { url: `file://${source.path}`, path: `shop/${name}`, ref } });

const pin = async ({ namespace }: ReleaseHarness, name: string) =>
  (await seen(Release, namespace, name)).spec;

test("check 27: a Pipeline does not override a pin by kubectl, names its manager, and continues after its removal", async () => {
  // Given a Pipeline that has promoted two commits to prod
  const harness = await aPipelineHarness();
  const { namespace, source, untilStage } = harness;
  const commit = (version: string) =>
    harness.commit({
      "shop/dev/web.json": aConfigMapFile("web-dev", { version }),
      "shop/prod/web.json": aConfigMapFile("web-prod", { version }),
    });
  const first = commit("1");
  await harness.start();
  for (const stage of ["dev", "prod"]) await join(harness, stage, { pipeline: "shop", stage });
  await applyResource(Pipeline, namespace, {
    name: "shop",
    ...{ source: { url: `file://${source.path}`, path: "shop" }, interval: "1s" },
    stages: ["dev", "prod"].map((name) => ({ name, releases: [{ name }] })),
  });
  const prod = (wanted: object) => untilStage("shop", "prod", wanted);
  await prod({ phase: "Passed", running: { revision: first } });
  const second = commit("2");
  await prod({ phase: "Passed", running: { revision: second } });

  // When a user pins prod to the first one
  const patch = (spec: object) =>
    kubectl([
      ...["patch", "release", "prod", "-n", namespace, "--type=merge", "--field-manager=ann"],
      ...["-p", JSON.stringify({ spec })],
    ]);
  await patch({ revision: first, digest: null });

  // Then prod runs it, also when there is a third one, and the Pipeline names the owner of the pin
  await harness.untilAt("prod", first);
  const third = commit("3");
  await untilStage("shop", "dev", { phase: "Passed", running: { revision: third } });
  const waiting = await prod({
    waiting: expect.arrayContaining([expect.objectContaining({ gate: "Releases" })]),
  });
  expect(JSON.stringify(waiting)).toContain(`is pinned to ${first} by another field manager`);
  await eventually(
    async () => expect(JSON.stringify((await seen(Pipeline, namespace, "shop")).status)).toMatch(/ann\b/),
    { what: "the Pipeline names the field manager" },
  );
  expect((await pin(harness, "prod"))["revision"]).toBe(first);

  // When the user removes the pin, then the Pipeline continues
  await patch({ revision: null });
  await prod({ phase: "Passed", running: { revision: third } });
});

test("check 11: two Pipelines with one repository are independent, and a Release is pinned only by the one that it names", async () => {
  // Given two Pipelines, each with a Release, and the second one also lists that of the first
  const harness = await aPipelineHarness();
  const { namespace, source, untilStage } = harness;
  const commit = (version: string) =>
    harness.commit({
      "shop/one/web.json": aConfigMapFile("web-one", { version }),
      "shop/two/web.json": aConfigMapFile("web-two", { version }),
    });
  const first = commit("1");
  await harness.start();
  await join(harness, "one", { pipeline: "first", stage: "dev" });
  await join(harness, "two", { pipeline: "second", stage: "dev" });
  const from = { source: { url: `file://${source.path}`, path: "shop" }, interval: "1s" };
  const dev = (name: string) => ({ name: "dev", releases: [{ name }] });
  await applyResource(Pipeline, namespace, { name: "first", ...from, stages: [dev("one")] });
  const duplicate = { name: "duplicate", after: [], releases: [{ name: "one" }] };
  await applyResource(Pipeline, namespace, { name: "second", ...from, stages: [dev("two"), duplicate] });

  // When a commit is pushed, then each Pipeline deploys it to its own Release, and reports the other Release as a problem
  for (const pipeline of ["first", "second"])
    await untilStage(pipeline, "dev", { phase: "Passed", running: { revision: first } });
  const problem = `Release "${namespace}/one" does not exist, or does not name this Pipeline in source.ref.pipeline`;
  await untilStage("second", "duplicate", { problems: [problem] });

  // When the first one is suspended, then the second one continues, and the Release of the first one is unchanged
  await kubectl([
    ...["patch", "pipeline", "first", "-n", namespace, "--type=merge"],
    ...["-p", '{"spec":{"suspend":true}}'],
  ]);
  const second = commit("2");
  await untilStage("second", "dev", { phase: "Passed", running: { revision: second } });
  // The Release has planned the commit too, so the Pipeline could have pinned it.
  await untilStage("first", "dev", {
    next: { revision: second },
    waiting: [{ gate: "Suspended" }],
  });
  expect((await pin(harness, "one"))["revision"]).toBe(first);
});

test("check 32: the pin, the Promotion and the record of a deposed leader are refused", async () => {
  // Given a fenced operator, and the objects of a Pipeline
  const namespace = await aNamespace();
  const kinds = [stampIn(sharedGroup), ...deliveryKinds];
  const releases = { enabled: true, requireServiceAccount: false };
  const rights = { ...releases, watchAll: true, kinds: [{ resource: "configmaps" }] };
  await install(testCluster(), { kinds, name: "pipelines", values: { releases: rights } });
  const policies = { ownership: false, leadership: true };
  const fenced = await fence(namespace, {
    ...{ kinds, rights: "pipelines", policies, releases, watchedNamespaces: [namespace] },
  });
  const source = { url: "https://git.example.dev/shop.git", ref: { pipeline: "shop", stage: "dev" } };
  await applyResource(Release, namespace, { name: "dev", source, render: { manifests: {} } });
  const revision = "1".repeat(40);
  const pod = "operator-1";
  const operator = (args: readonly string[], input?: object): Promise<string> =>
    kubectl(
      [
        ...args,
        ...["-n", namespace, `--as=${fenced.user}`],
        `--as-user-extra=authentication.kubernetes.io/pod-name=${pod}`,
      ],
      input && { input },
    );
  const manager = `--field-manager=fairlead/pipelines.fairlead.dev/${namespace}/shop`;
  const apiVersion = "fairlead.dev/v1alpha1";
  const apply = ["apply", "--server-side", "-f", "-"];
  const writes = (number: number): readonly (() => Promise<string>)[] => {
    const metadata = { name: `shop-dev-${number}`, namespace };
    const spec = { pipeline: "shop", stage: "dev", revision, number };
    return [
      () =>
        operator([...apply, manager], {
          ...{ apiVersion, kind: "Release", metadata: { name: "dev", namespace } },
          spec: { revision: `${number}`.repeat(40) },
        }),
      () =>
        operator([...apply, "--field-manager=fairlead"], {
          ...{ apiVersion, kind: "Promotion", metadata, spec },
        }),
      () =>
        operator([...apply, "--field-manager=fairlead", "--subresource=status", "--validate=false"], {
          ...{ apiVersion, kind: "Promotion", metadata: { ...metadata, name: "shop-dev-1" } },
          status: { phase: "Passed", passedAt: `2026-01-01T00:00:0${number}Z` },
        }),
    ];
  };
  const giveLeaseTo = (holderIdentity: string) =>
    kubectl([
      ...["patch", "lease", "operator", "-n", namespace, "--type=merge"],
      ...["-p", JSON.stringify({ spec: { holderIdentity, leaseDurationSeconds: 600 } })],
    ]);

  // When its pod leads, then it may write all of them
  await giveLeaseTo(`${pod}_1`);
  const [first, ...others] = writes(1);
  await eventually(() => first?.(), { what: "the API server has observed the leader" });
  for (const write of others) await write();

  // When another one leads, then each is refused, and nothing changes
  await giveLeaseTo("elsewhere");
  const refusal = /the lease is held by elsewhere, and this request comes from operator-1/;
  const refused = (write: () => Promise<string>): Promise<string> =>
    write().then(
      () => "it was allowed",
      (error: unknown) => String(error),
    );
  const [again, ...rest] = writes(2);
  await eventually(async () => refusal.test(await refused(again ?? expect.fail())), {
    what: "the API server has observed the new leader",
  });
  for (const write of rest) expect(await refused(write)).toMatch(refusal);
  const names = await kubectl(["get", "promotions", "-n", namespace, "-o", "name"]);
  expect(names.trim()).toBe("promotion.fairlead.dev/shop-dev-1");
});
