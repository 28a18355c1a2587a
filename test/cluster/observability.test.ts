import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { metricsWithoutReleases } from "../documented-metrics.ts";
import { type MetricFamily, readPrometheusText } from "../fakes/prometheus-text.ts";
import { eventually, kubectl } from "./fixture.ts";
import { eventsOf } from "./harness.ts";
import type { RunningOperator } from "./operator.ts";
import { isWrite } from "./operator-user.ts";
import { aStampHarness, manyNames } from "./stamps.ts";

const names = manyNames(4);
const pollOptions = { interval: 200 };
const controller = "stamps.tests.fairlead.dev";

/** The address at which an operator serves something, from its log. */
async function addressOf(operator: RunningOperator, what: string): Promise<string> {
  await operator.untilLogged("Became leader");
  const line = operator.log.find(({ message, serves }) => message === "Listening" && serves === what);
  return String(line?.["address"]).replace("[::]", "127.0.0.1");
}

/** The current metrics. */
async function scrape(address: string): Promise<ReadonlyMap<string, MetricFamily>> {
  const response = await fetch(`http://${address}/metrics`);
  expect(response.headers.get("content-type")).toContain("version=0.0.4");
  return readPrometheusText(await response.text());
}

/** Sum of the series of a metric that have all of these labels. */
function sum(
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name) ?? families.get(name.replace(/_count$/, ""));
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return [...(family?.series ?? [])]
    .filter(([series]) => series.split("{")[0] === name && wanted.every((pair) => series.includes(pair)))
    .reduce((total, [, value]) => total + value, 0);
}

test("metrics, events and probes report the work of an operator, without any cost when idle", async () => {
  // Given an operator with everything enabled, and an edit of each resource
  const harness = await aStampHarness();
  const operator = await harness.start([
    "--leader-elect",
    "--tracing",
    "--retry-period=500ms",
    "--metrics-bind-address=127.0.0.1:0",
    "--health-probe-bind-address=127.0.0.1:0",
  ]);
  const address = await addressOf(operator, "metrics");
  // Objects that exist when it starts to watch are not edits.
  await eventually(
    () => operator.log.some(({ message, kind }) => message === "Watching" && kind === "Stamp"),
    { what: "it watches Stamps" },
  );
  const until = (what: string, check: (now: ReadonlyMap<string, MetricFamily>) => boolean) =>
    eventually(
      async () => {
        const now = await scrape(address);
        return check(now) ? now : undefined;
      },
      { what },
    );
  await harness.apply(names, { text: "one", copies: 2 });
  await harness.untilSettled(names.length);

  // Then the numbers match what happened
  const filled = await until("all edits are on the branch", (now) =>
    [1, 2].every(() => sum(now, "fairlead_edit_to_commit_seconds_count") === names.length),
  );
  expect(sum(filled, "controller_runtime_reconcile_total", { controller, result: "error" })).toBe(0);
  expect(
    sum(filled, "controller_runtime_reconcile_total", { controller, result: "success" }),
  ).toBeGreaterThan(3);
  expect(sum(filled, "fairlead_applies_total", { controller, result: "created" })).toBe(2 * names.length);
  expect(sum(filled, "fairlead_edit_to_live_seconds_count", { controller })).toBe(names.length);
  expect(sum(filled, "fairlead_resources", { ready: "True", reason: "Reconciled" })).toBe(names.length);
  expect(sum(filled, "fairlead_store_objects", { role: "child" })).toBe(2 * names.length);
  expect(sum(filled, "leader_election_master_status")).toBe(1);
  expect(sum(filled, "fairlead_publish_commits_total")).toBe(harness.repository.commits());
  for (const name of ["workqueue_depth", "fairlead_publish_pending", "fairlead_publish_failing"])
    expect(sum(filled, name), name).toBe(0);

  // When a user deletes one child and changes another, then both are restored, with one event
  await kubectl(["delete", "configmap", "stamp-0-0", "-n", harness.namespace]);
  await kubectl([
    "patch",
    "configmap",
    "stamp-1-0",
    "-n",
    harness.namespace,
    "-p",
    '{"data":{"text":"theirs"}}',
  ]);
  await until(
    "both were restored",
    (now) => sum(now, "fairlead_applies_total", { result: "restored" }) === 2,
  );
  const notes = async (name: string) =>
    (await eventsOf(harness.namespace, "Stamp", name)).map(({ reason, note }) => `${reason}: ${note}`);
  const place = harness.namespace;
  const deleted = `Restored: Restored ConfigMap ${place}/stamp-0-0: it was deleted`;
  await expect.poll(() => notes("stamp-0"), pollOptions).toEqual([deleted]);
  const changed = `Restored: Restored ConfigMap ${place}/stamp-1-0: data.text was changed`;
  await expect.poll(() => notes("stamp-1"), pollOptions).toEqual([changed]);

  // When the repository is unavailable, then one resource for all reports it, and the Lease, and both report the
  // recovery
  harness.repository.remote.vanish();
  await harness.apply(names, { text: "two", copies: 2 });
  const outage = await until(
    "the outage shows",
    (now) =>
      sum(now, "fairlead_publish_failing", { reason: "RepositoryUnreachable" }) === 1 &&
      sum(now, "fairlead_applies_total", { result: "updated" }) === 2 * names.length,
  );
  expect(sum(outage, "fairlead_publish_pending")).toBeGreaterThan(0);
  expect(sum(outage, "fairlead_publish_oldest_pending_seconds")).toBeGreaterThan(0);
  await harness.until("each resource reports it", (stamps) =>
    stamps.every(({ status }) =>
      status?.conditions?.some(({ reason }) => reason === "RepositoryUnreachable"),
    ),
  );
  harness.repository.remote.behave();
  await harness.untilSettled(names.length);
  const readEvents = async () => {
    const onStamps = await Promise.all(names.map((name) => eventsOf(harness.namespace, "Stamp", name)));
    const onLease = await eventsOf(harness.namespace, "Lease", "fairlead");
    return [...onStamps.flat(), ...onLease]
      .map(({ regarding, type, reason }) => `${regarding.kind} ${type} ${reason}`)
      .filter((event) => !event.includes("Restored"))
      .toSorted();
  };
  const about = ["Normal Published", "Warning RepositoryUnreachable"];
  const expected = ["Lease", "Stamp"].flatMap((kind) => about.map((event) => `${kind} ${event}`));
  await expect.poll(readEvents, pollOptions).toEqual(expected);
  const describe = (object: string) => kubectl(["describe", object, "-n", harness.namespace]);
  const ofLease = /Warning +RepositoryUnreachable .*does not appear to be a git repository/;
  expect(await describe("lease/fairlead")).toMatch(ofLease);
  // Other tests define more kinds of this name.
  const ofStamp = await describe(`${controller}/stamp-0`);
  expect(ofStamp).toMatch(/Normal +Restored .*stamp-0-0: it was deleted/);

  // Then it is idle: reads cause no write, and only the Lease is written
  const quietSince = new Date();
  const before = await scrape(address);
  const probes = await addressOf(operator, "probes");
  for (const path of ["healthz", "readyz", "readyz/sources"])
    expect((await fetch(`http://${probes}/${path}`)).status, path).toBe(200);
  const renewals = (now: ReadonlyMap<string, MetricFamily>) =>
    sum(now, "rest_client_requests_total", { method: "PUT" });
  const after = await until("the lease was renewed twice", (now) => renewals(now) >= renewals(before) + 2);
  for (const method of ["PATCH", "POST", "DELETE"])
    expect(sum(after, "rest_client_requests_total", { method })).toBe(
      sum(before, "rest_client_requests_total", { method }),
    );
  const writes = (await harness.user.requests(quietSince)).filter(isWrite);
  expect(writes.map(({ objectRef }) => objectRef?.resource).filter((one) => one !== "leases")).toEqual([]);

  // And docs/observability.md has exactly these metrics, and their types
  const page = readFileSync(join(import.meta.dirname, "../../docs/observability.md"), "utf8");
  const served = [...after.values()].map(({ name, type }) => `${name} ${type}`);
  expect(served.toSorted()).toEqual(metricsWithoutReleases(page));
});
