import { expect, test } from "vitest";
import { Runtime } from "../../crds/runtime.ts";
import { applyObjects, eventually, kubectlJson } from "./fixture.ts";
import { aHarness, type SeenResource } from "./harness.ts";
import { lineOf } from "./operator-user.ts";

/** Number of Runtimes that expire at one instant. */
const count = 1_000;
/** Time to give all of them the same end. */
const leadMs = 120_000;
/** Maximum time from the instant to the last deletion. */
const mostMs = 30_000;
/** Number of requests in addition to one deletion for each Runtime, such as renewals of watches. */
const others = 20;

const aRuntime = (namespace: string, name: string, ttlSeconds: number): object => ({
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "Runtime",
  metadata: { name, namespace },
  spec: { template: { image: "busybox:1.36" }, after: "created", ttlSeconds, warnBeforeSeconds: 0 },
});

async function runtimesIn(namespace: string): Promise<readonly SeenResource[]> {
  const plural = `${Runtime.plural}.${Runtime.group}`;
  return (await kubectlJson<{ items: SeenResource[] }>(["get", plural, "-n", namespace])).items;
}

/** Waits until all Runtimes have an end, and exactly this one if it is given. */
function untilAllEnd(namespace: string, expiresAt?: string): Promise<readonly SeenResource[]> {
  return eventually(
    async () => {
      const all = await runtimesIn(namespace);
      const known = all.filter(({ status }) =>
        expiresAt === undefined ? status?.["expiresAt"] !== undefined : status?.["expiresAt"] === expiresAt,
      );
      return known.length === count && all;
    },
    { what: "all Runtimes have an end", timeoutMs: leadMs + 60_000 },
  );
}

test(`${count} Runtimes that expire at one instant are deleted within 30 s, by one request each`, {
  timeout: 600_000,
}, async () => {
  const { namespace, user, start } = await aHarness({ rights: "fairlead", publishes: false });
  await start();
  const names = Array.from({ length: count }, (_, index) => `run-${index}`);
  await applyObjects(...names.map((name) => aRuntime(namespace, name, 3_600)));
  const created = await untilAllEnd(namespace);

  // Given the same end for all of them, in whole seconds
  const instantMs = Math.ceil((Date.now() + leadMs) / 1_000) * 1_000;
  await applyObjects(
    ...created.map(({ metadata: { name, creationTimestamp = "" } }) => {
      return aRuntime(namespace, name, (instantMs - Date.parse(creationTimestamp)) / 1_000);
    }),
  );
  await untilAllEnd(namespace, `${new Date(instantMs).toISOString().slice(0, 19)}Z`);

  // When it has passed
  await eventually(async () => (await runtimesIn(namespace)).length === 0, {
    what: "all Runtimes are deleted",
    timeoutMs: leadMs + mostMs + 60_000,
  });

  // Then each was deleted once, and not before the instant
  const requests = await user.requests(new Date(instantMs));
  const deletions = requests.filter(({ verb }) => verb === "delete");
  expect(deletions.map(lineOf).toSorted()).toEqual(
    names.map((name) => `delete runtimes ${name} 200`).toSorted(),
  );
  // and there were no other requests, except for events and the lease
  const rest = requests.map(lineOf).filter((line) => !/^delete runtimes |events|leases/.test(line));
  expect(rest.length, rest.slice(0, 20).join("\n")).toBeLessThanOrEqual(others);
  // A machine with other load takes longer.
  const times = deletions.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));
  expect(Math.max(...times)).toBeLessThanOrEqual(instantMs + mostMs);
});
