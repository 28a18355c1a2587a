import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { KubernetesObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { kubectl, readObject } from "./fixture.ts";
import { conditionOf, seen } from "./harness.ts";
import { aReleaseHarness } from "./release-harness.ts";

/** Number of consecutive commits; the full run is FAIRLEAD_DEFINITION_COMMITS=200. */
const commits = Number(process.env["FAIRLEAD_DEFINITION_COMMITS"] ?? 8);
/** Maximum time until a commit is deployed. */
const waitMs = 60_000;
const group = "tests.fairlead.dev";

/** A definition and an object of its kind, with as many fields as commits. */
function filesOf({ plural, kind, fields }: { plural: string; kind: string; fields: number }) {
  const names = Array.from({ length: fields }, (_, index) => `field${index + 1}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return {
    "shop/tool.json": {
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name: "hammer" },
      spec: Object.fromEntries(names.map((name) => [name, "set"])),
    },
    "shop/tools.json": {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, singular: plural, kind },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: { type: "object", properties },
                  status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
            },
          },
        ],
      },
    },
  };
}

const quiet = { does: "is deployed each time", isBusy: false };
const busy = {
  does: "is deployed each time, also while a controller writes the resource's status",
  isBusy: true,
};

test.for([quiet, busy])(
  "a definition and a resource of it that one commit extends: $does",
  { timeout: 600_000 + 2 * commits * waitMs },
  async ({ isBusy }) => {
    const harness = await aReleaseHarness();
    const { namespace } = harness;
    const plural = `parts${namespace.slice(-8)}`;
    const kind = `Part${namespace.slice(-8)}`;
    onTestFinished(
      async () =>
        void (await kubectl(["delete", "crd", `${plural}.${group}`, "--ignore-not-found", "--wait=false"])),
    );
    const commit = (fields: number): string => harness.commit(filesOf({ plural, kind, fields }));
    const first = commit(1);
    const operator = await harness.start();
    // No controller reports on it.
    const healthChecks = [{ apiVersion: `${group}/v1`, kind, current: "true" }];
    await harness.release("shop", { healthChecks });
    await harness.untilAt("shop", first);

    const counts = { commits, stuck: 0, stalled: 0, incomplete: 0 };
    const done = new AbortController();
    const controller = isBusy ? writeStatus(`${plural}.${group}`, namespace, done.signal) : undefined;
    onTestFinished(async () => {
      done.abort();
      await controller?.catch(() => undefined);
    });
    const read = () => readObject<Live>(`${plural}.${group}`, "hammer", namespace);
    for (let fields = 2; fields <= commits + 1; fields++) {
      const revision = commit(fields);
      let isStalled = false;
      const isDeployed = await until(waitMs, async () => {
        const release = await seen(Release, namespace, "shop");
        isStalled ||= conditionOf(release, "Stalled")?.status === "True";
        return release.status?.["revision"] === revision && conditionOf(release, "Ready")?.status === "True";
      });
      if (!isDeployed) counts.stuck++;
      if (isStalled) counts.stalled++;
      const isWhole = await until(
        waitMs,
        async () => Object.keys((await read())?.spec ?? {}).length === fields,
      );
      if (!isWhole) counts.incomplete++;
    }
    done.abort();
    await controller;
    // The API server itself drops a field if a write of the status began before the definition changed, and ends after
    // the field was applied. Only such a repair changes the generation, which each commit changes once.
    const { generation = 0 } = (await read())?.metadata ?? {};
    const dropped = generation - (commits + 1);
    const restored = operator.log.filter(({ done: was }) => was === "Restored").length;
    const all = { ...counts, restored, dropped };
    process.stderr.write(`definitions${isBusy ? " (busy)" : ""}: ${JSON.stringify(all)}\n`);
    expect(all).toEqual({ commits, stuck: 0, stalled: 0, incomplete: 0, restored: dropped, dropped });
  },
);

interface Live extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly generation?: number };
  readonly spec?: object;
}

/** Like a controller of the kind: one status after the other. */
async function writeStatus(type: string, namespace: string, signal: AbortSignal): Promise<void> {
  for (let round = 1; !signal.aborted; round++) {
    const patch = JSON.stringify({ status: { round } });
    await kubectl([
      "patch",
      type,
      "hammer",
      "-n",
      namespace,
      "--subresource=status",
      "--type=merge",
      "-p",
      patch,
    ]);
  }
}

async function until(withinMs: number, check: () => Promise<boolean>): Promise<boolean> {
  const startMs = performance.now();
  while (performance.now() - startMs < withinMs) {
    if (await check()) return true;
    await sleep(20);
  }
  return false;
}
