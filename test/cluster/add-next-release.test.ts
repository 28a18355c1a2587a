import { join } from "node:path";
import { expect, test } from "vitest";
import { Release } from "../../crds/release.ts";
import { KubeCluster } from "../../operator/cluster/kube-cluster.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import { NotOwnedError } from "../../operator/errors.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { type FencedPod, fence } from "./fenced.ts";
import { eventually, testCluster } from "./fixture.ts";
import { applyResource, seen, untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { isWrite, lineOf } from "./operator-user.ts";
import { pin } from "./pin-kind.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const { definition } = pin;
const program = join(import.meta.dirname, "pin-program.ts");

/** The operator's own adapter with the permissions of one of its pods, and without its own fence. */
async function asPod({ kubeconfigPath }: FencedPod) {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig: kubeconfigPath, env: {}, clock });
  const transport = new ApiTransport(access, { clock, userAgent: "test" });
  const cluster = new KubeCluster({ transport, clock, fence: { check() {} } });
  return { cluster, close: () => transport.close() };
}

test("a kind pins and plans Releases of the same operator, and may set no other fields", async () => {
  // Given an operator for Pins and Releases with all fences, and a Release of a stage
  const kinds = [stampIn(sharedGroup), pin];
  const releases = { enabled: true, requireServiceAccount: false };
  await install(testCluster(), {
    kinds,
    name: "next-pins",
    values: { releases: { ...releases, watchAll: true, kinds: [{ resource: "configmaps" }] } },
  });
  const { namespace, source, ...harness } = await aReleaseHarness();
  const fenced = await fence(namespace, {
    kinds,
    rights: "next-pins",
    policies: { ownership: true, leadership: true, releaseStatus: true },
    releases,
    watchedNamespaces: [namespace],
  });
  const pod = await fenced.aPod("operator-1");
  const first = harness.commit({ "shop/web.json": aConfigMapFile("web", { version: "1" }) });
  const second = harness.commit({ "shop/web.json": aConfigMapFile("web", { version: "2" }) });
  await harness.start(fenced.args, { program, ...pod });
  const ref = { pipeline: "shop", stage: "prod" };
  await harness.release("shop", { source: { url: `file://${source.path}`, path: "shop", ref } });
  await harness.until("shop", { status: "False", reason: "PinPending" });

  // When a resource pins it and requests the plan of another commit, by one write
  const asked = new Date();
  await applyResource(definition, namespace, {
    name: "prod",
    release: "shop",
    revision: first,
    next: second,
  });

  // Then both are done
  await harness.untilAt("shop", first);
  const planned = await eventually(
    async () => {
      const { status, spec } = await seen(Release, namespace, "shop");
      const next = status?.["next"] as { readonly revision?: string; readonly digest?: string } | undefined;
      if (next?.revision !== second) throw new Error(JSON.stringify(status ?? "no status"));
      return { next, spec };
    },
    { what: "the other commit is planned" },
  );
  expect(planned.next).toMatchObject({ create: 0, change: 1, delete: 0 });
  expect(planned.spec).toMatchObject({ revision: first, next: { revision: second } });
  const pins = (await pod.requests(asked)).filter(
    (request) => isWrite(request) && request.requestURI.includes("fieldManager=fairlead%2Fpins"),
  );
  expect(pins.map(lineOf)).toEqual(["patch releases shop 200"]);

  // When the planned commit is pinned with its digest, then the plan ends, and nothing of it stays in the spec
  const { digest = "" } = planned.next;
  await applyResource(definition, namespace, { name: "prod", release: "shop", revision: second, digest });
  const deployed = await harness.untilAt("shop", second);
  await untilReady(definition, namespace, "prod");
  expect(deployed.status?.["deployed"]).toMatchObject({ revision: second, digest });
  const after = await eventually(
    async () => {
      const release = await seen(Release, namespace, "shop");
      return release.status?.["next"] === undefined ? release : undefined;
    },
    { what: "the plan is removed" },
  );
  expect(after.spec).toMatchObject({ revision: second, digest });
  expect(after.spec).not.toHaveProperty("next");

  // The fence admits exactly these fields, by the manager of such a resource.
  const { cluster, close } = await asPod(pod);
  const add = (
    spec: object,
    fieldManager = `fairlead/${definition.plural}.${definition.group}/${namespace}/prod`,
  ) =>
    cluster.add(
      {
        manifest: {
          apiVersion: "fairlead.dev/v1alpha1",
          kind: Release.kind,
          metadata: { name: "shop", namespace },
          spec,
        },
        ...{ kind: Release, selector: undefined, fields: ["spec.revision"], fieldManager },
      },
      { uid: after.metadata.uid },
    );
  await add({ revision: second, digest, next: { revision: first } });
  await add({ revision: second, digest });
  for (const spec of [
    // Fields that are not set: others are rejected because of conflicts already.
    { timeout: "9m" },
    { suspend: true },
    { revision: second, prune: false },
    { source: { secretRef: { name: "other" } } },
    { target: { serviceAccountName: "admin" } },
  ])
    await expect(add(spec), JSON.stringify(spec)).rejects.toThrow(NotOwnedError);
  await expect(add({ next: { revision: first } }, "fairlead")).rejects.toThrow(NotOwnedError);
  await close();
});
