import { describe, expect, test } from "vitest";
import { Runtime } from "../../crds/runtime.ts";
import { bindClaim, releaseClaim } from "./claims.ts";
import { applyObjects, eventually, kubectl, kubectlJson, readObject } from "./fixture.ts";
import {
  aHarness,
  applyResource,
  conditionOf,
  eventsOf,
  type Harness,
  type SeenResource,
  seen,
  untilCondition,
  untilGone,
  untilReady,
  untilSeen,
} from "./harness.ts";

const template = { image: "busybox:1.36", ports: [{ port: 80 }] };
const storage = { size: "1Mi", mountPath: "/data" };
const hourSpec = { template, ttlSeconds: 3_600 };
const children = "deployments,services,persistentvolumeclaims";

interface SeenDeployment {
  readonly metadata: { readonly uid: string };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
  };
}

function runtimesIn({ namespace }: Harness) {
  const until = (what: string, holds: (found: SeenResource) => boolean): Promise<SeenResource> =>
    untilSeen(Runtime, namespace, { what, holds });
  return {
    apply: (spec: object) => applyResource(Runtime, namespace, { ...spec }),
    until,
    untilPhase: (phase: string) => until(`it is ${phase}`, ({ status }) => status?.["phase"] === phase),
    untilGone: () => untilGone("runtimes.fairlead.dev", "web", namespace),
    deployment: () => readObject<SeenDeployment>("deployment", "web", namespace),
    untilNoChildren: () =>
      eventually(
        async () =>
          (await kubectlJson<{ items: object[] }>(["get", children, "-n", namespace])).items.length === 0,
        { what: "its objects are deleted" },
      ),
  };
}

/** The `ttlSeconds` of a Runtime so that it ends this number of seconds from now. */
const ttlUntil = ({ status }: SeenResource, seconds: number): number =>
  Math.max(1, Math.ceil((Date.now() - Date.parse(String(status?.["countedFrom"]))) / 1_000) + seconds);

describe("a Runtime", () => {
  test("shows its end, warns once, is extended, and is deleted with all its objects", async () => {
    const harness = await aHarness();
    const { apply, until, untilGone: gone, untilNoChildren } = runtimesIn(harness);
    await harness.start();
    await apply(hourSpec);

    // It ends its time after it was ready
    const running = await until("it has an end", ({ status }) => status?.["expiresAt"] !== undefined);
    const readyMs = Date.parse(String(running.status?.["readyAt"]));
    expect(Date.parse(String(running.status?.["expiresAt"]))).toBe(readyMs + 3_600_000);
    expect(await kubectl(["get", "rt", "web", "-n", harness.namespace])).toMatch(
      new RegExp(`EXPIRES .*\n.*${running.status?.["expiresAt"]}`),
    );

    // and another end if it is extended
    await apply({ ...hourSpec, ttlSeconds: 7_200 });
    const extended = await until(
      "it is extended",
      ({ status }) => status?.["expiresAt"] !== running.status?.["expiresAt"],
    );
    expect(Date.parse(String(extended.status?.["expiresAt"]))).toBe(readyMs + 7_200_000);
    expect(extended.status?.["readyAt"]).toBe(running.status?.["readyAt"]);

    // It warns, and is deleted, not before its end
    const ttlSeconds = ttlUntil(extended, 5);
    await apply({ ...hourSpec, ttlSeconds });
    await gone();
    expect(Date.now()).toBeGreaterThanOrEqual(readyMs + ttlSeconds * 1_000);
    await untilNoChildren();
    const recorded = await eventually(
      async () => {
        const events = await eventsOf(harness.namespace, "Runtime");
        return events.some(({ reason }) => reason === "Expired") && events;
      },
      { what: "its events" },
    );
    expect(recorded.filter(({ reason }) => reason === "Expiring")).toMatchObject([{ type: "Warning" }]);
  });

  test("is refused with a time above its limit, also later", async () => {
    const harness = await aHarness();
    const { apply } = runtimesIn(harness);
    const refusal = "must not be more than spec.maxTtlSeconds";
    await expect(apply({ ...hourSpec, maxTtlSeconds: 3_599 })).rejects.toThrow(refusal);
    await apply({ ...hourSpec, maxTtlSeconds: 3_600 });
    await expect(apply({ ...hourSpec, ttlSeconds: 3_601, maxTtlSeconds: 3_600 })).rejects.toThrow(refusal);
  });

  test("that expired while the operator was down is deleted at its start, and no restart changes its end", async () => {
    const harness = await aHarness();
    const { apply, until, untilGone: gone } = runtimesIn(harness);
    const operator = await harness.start();
    await apply(hourSpec);
    const { status } = await until("it has an end", (found) => found.status?.["expiresAt"] !== undefined);
    await operator.stop();
    const restarted = await harness.start();
    await restarted.untilLogged("Watching");
    // An edit ensures that it was reconciled.
    await apply({ ...hourSpec, warnBeforeSeconds: 1 });
    const same = await until(
      "the edit was observed",
      (found) => found.status?.observedGeneration === found.metadata.generation,
    );
    expect(same.status).toMatchObject({ readyAt: status?.["readyAt"], expiresAt: status?.["expiresAt"] });
    await restarted.stop();
    await apply({ ...hourSpec, ttlSeconds: 1 });
    await harness.start();
    await gone();
  });

  test("is stopped with its volume, and runs again when it is extended or restarted on request", async () => {
    const harness = await aHarness();
    const { namespace } = harness;
    const { apply, until, untilPhase, deployment } = runtimesIn(harness);
    await harness.start();
    const spec = { ...hourSpec, storage, onExpiry: "stop" };
    await apply(spec);
    await bindClaim(namespace);
    const running = await untilPhase("Running");
    const claim = await readObject("persistentvolumeclaim", "web", namespace);
    const ttlSeconds = ttlUntil(running, 1);
    await apply({ ...spec, ttlSeconds });
    await untilPhase("Stopped");
    expect((await deployment())?.spec.replicas).toBe(0);
    await untilReady(Runtime, namespace);

    // When it is extended
    await apply(spec);
    const again = await untilPhase("Running");
    expect(again.status).toMatchObject({
      readyAt: running.status?.["readyAt"],
      expiresAt: running.status?.["expiresAt"],
    });

    // When it is stopped again, and restarted on request
    await apply({ ...spec, ttlSeconds });
    await untilPhase("Stopped");
    await kubectl(["annotate", "runtime", "web", "-n", namespace, "fairlead.dev/restarted-at=again"]);
    const started = await until("it is started", ({ status }) => status?.["restarts"] === 1);
    expect(started.status).toMatchObject({ restartedAt: "again" });
    // Its time ends soon: that it ran is visible in the start of its time.
    const counted = await until("it was ready again", ({ status }) => status?.["readyAt"] !== undefined);
    expect(counted.status?.["readyAt"]).not.toBe(running.status?.["readyAt"]);
    expect((await deployment())?.spec.template.metadata.annotations).toMatchObject({
      "fairlead.dev/restarted-at": "again",
    });
    const kept = await readObject("persistentvolumeclaim", "web", namespace);
    expect(kept?.metadata.uid).toBe(claim?.metadata.uid);
    // A volume that the spec no longer has is deleted.
    await apply({ template, ttlSeconds: 3_600, onExpiry: "stop" });
    await releaseClaim(namespace);
    await untilGone("persistentvolumeclaim", "web", namespace);
  });

  test("whose Deployment a user deletes gets another one, with an unchanged end", async () => {
    const harness = await aHarness();
    const { apply, until, deployment } = runtimesIn(harness);
    await harness.start();
    await apply(hourSpec);
    const { status } = await until("it has an end", (found) => found.status?.["expiresAt"] !== undefined);
    const before = await deployment();
    // Times have whole seconds: from now on another pod would have a different time.
    const nextMs = Date.parse(String(status?.["readyAt"])) + 1_000;
    await eventually(() => Date.now() >= nextMs, { what: "the next second" });
    await kubectl(["delete", "deployment", "web", "-n", harness.namespace]);
    await eventually(
      async () => ![undefined, before?.metadata.uid].includes((await deployment())?.metadata.uid),
      { what: "there is another Deployment" },
    );
    const again = await until(
      "it is Running again",
      (found) => conditionOf(found, "Ready")?.status === "True",
    );
    expect(again.status).toMatchObject({ readyAt: status?.["readyAt"], expiresAt: status?.["expiresAt"] });
  });

  test("does not change a claim of its name that it does not own", async () => {
    const harness = await aHarness();
    const { namespace } = harness;
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } };
    const metadata = { name: "web", namespace };
    await applyObjects({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec });
    await harness.start();
    await runtimesIn(harness).apply({ ...hourSpec, storage });
    await untilCondition(Runtime, namespace, { type: "Applied", status: "False", reason: "NotOwned" });
    const claim = await readObject("persistentvolumeclaim", "web", namespace);
    expect(claim?.metadata.ownerReferences).toBeUndefined();
    // Otherwise the namespace would not be deleted.
    await kubectl(["delete", "pvc", "web", "-n", namespace, "--wait=false"]);
    await releaseClaim(namespace);
  });

  test("that is deleted early leaves no objects", async () => {
    const harness = await aHarness();
    const { apply, untilPhase, untilGone: gone, untilNoChildren } = runtimesIn(harness);
    await harness.start();
    await apply({ ...hourSpec, storage });
    await bindClaim(harness.namespace);
    await untilPhase("Running");
    await kubectl(["delete", "runtime", "web", "-n", harness.namespace, "--wait=false"]);
    await releaseClaim(harness.namespace);
    await gone();
    await untilNoChildren();
  });

  test("that git declares loses its objects, and the next sync does not restore them", async () => {
    const harness = await aHarness();
    const { namespace } = harness;
    const { untilPhase, untilNoChildren, until } = runtimesIn(harness);
    await harness.start();
    const sync = (ttlSeconds: number, more: object = {}) =>
      applyObjects({
        apiVersion: "fairlead.dev/v1alpha1",
        kind: "Runtime",
        metadata: { name: "web", namespace, labels: { "kustomize.toolkit.fluxcd.io/name": "shop" } },
        spec: { template, ttlSeconds, ...more },
      });
    await sync(3_600);
    await untilPhase("Running");
    await sync(1);
    const expired = await until("it is Expired", (found) => conditionOf(found, "Expired")?.status === "True");
    expect(expired.status).toMatchObject({ phase: "Expired" });
    await untilNoChildren();
    // The next sync changes something, so that it is visible when the operator has reconciled it.
    await sync(1, { warnBeforeSeconds: 7 });
    await untilCondition(Runtime, namespace, { type: "Expired" });
    await untilNoChildren();
    expect((await seen(Runtime, namespace)).metadata.uid).toBe(expired.metadata.uid);
  });
});
