import { afterAll, beforeAll, expect, test } from "vitest";
import { apiVersionOf, groupKindOf } from "../../crds/object.ts";
import { eventually, testCluster } from "./fixture.ts";
import type { SeenResource } from "./harness.ts";
import { originals } from "./originals.ts";
import { TakeoverStage, type Workload } from "./takeover-stage.ts";

let stage: TakeoverStage;
beforeAll(async () => {
  stage = await TakeoverStage.on(testCluster());
});
afterAll(() => stage?.end());

test.for(originals)(
  "objects of the original $kind.kind operator are adopted: same objects, no rollout",
  async ({ kind, spec, children }) => {
    const namespace = await stage.aPlace(kind.singular);
    const resource = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name: "web", namespace },
    };
    await stage.kubectl("create -f -", { input: { ...resource, spec } });
    const { metadata: owner } = await stage.read<SeenResource>(groupKindOf(kind), "web", namespace);
    const controller = { apiVersion: resource.apiVersion, kind: kind.kind, name: "web", uid: owner.uid };
    const ownerReferences = [{ ...controller, controller: true, blockOwnerDeletion: true }];
    for (const child of children) {
      const { metadata } = child;
      const input = { ...child, metadata: { ...metadata, namespace, ownerReferences } };
      await stage.kubectl("create --field-manager=manager -f -", { input });
    }
    await eventually(
      async () => {
        const pods = await stage.podsIn(namespace);
        const wanted = Number((spec as { size?: number }).size ?? (kind.kind === "Echo" ? 1 : 0));
        return pods.length === wanted;
      },
      { what: "its pods exist" },
    );
    const before = await Promise.all(
      children.map((child) => stage.read<Workload>(child.kind, child.metadata.name, namespace)),
    );
    const pods = await stage.podsIn(namespace);

    await stage.startFairlead(namespace);
    await stage.untilReady(kind, "web", namespace);
    for (const [index, child] of children.entries()) {
      const { metadata, ["spec"]: live } = await stage.read<Workload>(
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
    expect(await stage.podsIn(namespace)).toEqual(pods);
  },
);
