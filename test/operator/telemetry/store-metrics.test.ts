import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { StoreMetrics } from "../../../operator/telemetry/store-metrics.ts";
import { Gadget } from "../../fakes/gadget.ts";
import { aLiveObject } from "../../fakes/objects.ts";

function aResource(name: string, ready?: { readonly status: string; readonly reason: string }) {
  const live = aLiveObject({ kind: Gadget, name });
  return ready === undefined ? live : { ...live, status: { conditions: [{ type: "Ready", ...ready }] } };
}

async function shown(resources: readonly ReturnType<typeof aResource>[], ...states: readonly string[]) {
  const registry = new Registry();
  const stores = states.map((state) => ({
    role: "resource",
    kind: Gadget,
    store: { size: resources.length, list: () => resources },
    reflector: { state: { state } },
  }));
  new StoreMetrics(registry).watch(stores);
  const lines = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => line.replace("gadgets.example.dev", "gadgets"));
}

test("resources are counted by their condition Ready and its reason, including those without a status", async () => {
  const notOwned = { status: "False", reason: "NotOwned" };
  const resources = [aResource("a"), aResource("b", notOwned), aResource("c", notOwned)];
  expect(await shown(resources, "synced")).toEqual([
    'fairlead_store_objects{role="resource",kind="gadgets"} 3',
    'fairlead_store_synced{role="resource",kind="gadgets"} 1',
    'fairlead_resources{controller="gadgets",ready="True",reason="Reconciled"} 0',
    'fairlead_resources{controller="gadgets",ready="Unknown",reason=""} 1',
    'fairlead_resources{controller="gadgets",ready="False",reason="NotOwned"} 2',
  ]);
});

test("stores of several namespaces are one, and synced only if each is", async () => {
  expect(await shown([aResource("a")], "synced", "forbidden")).toEqual([
    'fairlead_store_objects{role="resource",kind="gadgets"} 2',
    'fairlead_store_synced{role="resource",kind="gadgets"} 0',
    'fairlead_resources{controller="gadgets",ready="True",reason="Reconciled"} 0',
    'fairlead_resources{controller="gadgets",ready="Unknown",reason=""} 2',
  ]);
});

test("reasons that others make up get no more than 40 series", async () => {
  const resources = Array.from({ length: 100 }, (_, n) =>
    aResource(`r-${n}`, { status: "False", reason: `Reason${n}` }),
  );
  const series = (await shown(resources, "synced")).filter((line) => line.startsWith("fairlead_resources"));
  expect(series).toHaveLength(42);
  expect(series.at(-1)).toBe('fairlead_resources{controller="gadgets",ready="False",reason="other"} 60');
});
