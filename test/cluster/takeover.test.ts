import { afterAll, beforeAll, expect, test } from "vitest";
import { apiVersionOf, groupKindOf } from "../../crds/object.ts";
import { eventually, testCluster } from "./fixture.ts";
import type { SeenResource } from "./harness.ts";
import { originals } from "./originals.ts";
import { TakeoverFixture, type Workload } from "./takeover-fixture.ts";

let fixture: TakeoverFixture;
beforeAll(async () => {
  fixture = await TakeoverFixture.on(testCluster());
});
afterAll(() => fixture?.end());

test.for(originals)(
  "objects of the original $kind.kind operator are adopted: same objects, no rollout",
  async ({ kind, spec, children }) => {
    const namespace = await fixture.aNamespace(kind.singular);
    const resource = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name: "web", namespace },
    };
    await fixture.kubectl("create -f -", { input: { ...resource, spec } });
    const { metadata: owner } = await fixture.read<SeenResource>(groupKindOf(kind), "web", namespace);
    const controller = { apiVersion: resource.apiVersion, kind: kind.kind, name: "web", uid: owner.uid };
    const ownerReferences = [{ ...controller, controller: true, blockOwnerDeletion: true }];
    for (const child of children) {
      const { metadata } = child;
      const input = { ...child, metadata: { ...metadata, namespace, ownerReferences } };
      await fixture.kubectl("create --field-manager=manager -f -", { input });
    }
    await eventually(
      async () => {
        const pods = await fixture.podsIn(namespace);
        const wanted = Number((spec as { size?: number }).size ?? (kind.kind === "Echo" ? 1 : 0));
        return pods.length === wanted;
      },
      { what: "its pods exist" },
    );
    const before = await Promise.all(
      children.map((child) => fixture.read<Workload>(child.kind, child.metadata.name, namespace)),
    );
    const pods = await fixture.podsIn(namespace);

    await fixture.startFairlead(namespace);
    await fixture.untilReady(kind, "web", namespace);
    for (const [index, child] of children.entries()) {
      const { metadata, ["spec"]: live } = await fixture.read<Workload>(
        child.kind,
        child.metadata.name,
        namespace,
      );
      const was = before[index];
      expect(metadata.uid).toBe(was?.metadata.uid);
      expect(metadata.labels).toMatchObject({
        ...child.metadata.labels,
        "app.kubernetes.io/instance": "web",
      });
      // A CronJob's template gets the operator's labels, for future Jobs; nothing runs because of it.
      if (child.kind !== "CronJob") expect(live).toEqual(was?.["spec"]);
    }
    expect(await fixture.podsIn(namespace)).toEqual(pods);
  },
);
