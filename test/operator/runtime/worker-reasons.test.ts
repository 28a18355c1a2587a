import { expect, test } from "vitest";
import { createLogger } from "../../../operator/telemetry/log.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { fail, runOnFakes } from "../../fakes/workers-run.ts";

const explained = { outcome: "waiting", did: ["create a: it does not exist"], waits: ["b"], keeps: [] };

test.for([
  { end: "an event brings it back", result: {}, says: {} },
  {
    end: "it comes back by itself",
    result: { requeueAfterMs: 5_000 },
    says: { until: "2026-01-01T00:00:05.000Z" },
  },
])("each run is one debug record with its reasons: $end", async ({ result, says }) => {
  const { queue, clock, log } = runOnFakes(async (_, { onExplain }) => {
    onExplain?.(() => explained);
    return result;
  });
  queue.add("shop/web");
  await clock.settle();
  expect(log.messages("debug")).toEqual(["Reconciled"]);
  const { reconcileID, ...fields } = { ...log.entries[0]?.fields } as { readonly reconcileID?: string };
  expect(fields).toEqual({ namespace: "shop", name: "web", ...explained, ...says });
});

test("a failed run has its error and the time of its retry", async () => {
  const { queue, clock, log } = runOnFakes(async () => fail());
  queue.add("web");
  await clock.settle();
  const { fields } = log.entries.find(({ level }) => level === "debug") ?? {};
  expect(fields).toMatchObject({ failure: "no", until: "2026-01-01T00:00:00.005Z" });
});

test("a rate-limited key has this reason, and the time at which it runs", async () => {
  const { queue, clock, log, calls } = runOnFakes(async () => ({}));
  for (let count = 0; count < 21; count++) {
    queue.add("shop/web");
    await clock.settle();
  }
  expect(calls).toHaveLength(20);
  const { fields } = log.entries.find(({ message }) => message === "Rate-limited a reconcile") ?? {};
  expect(fields).toEqual({
    namespace: "shop",
    name: "web",
    reason: "20 runs in a short time; now at most one in 500 ms",
    until: "2026-01-01T00:00:00.500Z",
  });
});

test("no record is built if the log level excludes it", async () => {
  const written: string[] = [];
  const destination = { write: (line: string) => written.push(line) };
  const log = createLogger({ clock: new FakeClock(), level: "info", format: "json", destination });
  let built = 0;
  const { queue, clock, calls } = runOnFakes(
    async (_, { onExplain }) => {
      onExplain?.(() => ({ built: ++built }));
      return {};
    },
    { log },
  );
  queue.add("shop/web");
  await clock.settle();
  expect(calls).toHaveLength(1);
  expect({ built, written }).toEqual({ built: 0, written: [] });
});
