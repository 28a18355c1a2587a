import { expect, test } from "vitest";
import {
  countRequests,
  readRequests,
  timesAfterApproval,
} from "../../../../rig/bench/pipelines/audited-requests.ts";

interface Asked {
  readonly verb?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly user?: string;
  readonly query?: string;
}

/** A line of the audit log at a number of milliseconds. */
function line(ms: number, { verb = "patch", user = "operator", query = "", ...objectRef }: Asked): string {
  return JSON.stringify({
    verb,
    requestURI: `/apis?${query}`,
    user: { username: user },
    objectRef,
    requestReceivedTimestamp: new Date(Date.parse("2026-01-01T00:00:00Z") + ms).toISOString(),
  });
}

test("readRequests() omits watches and Leases", () => {
  const lines = [
    line(0, { resource: "releases", subresource: "status", name: "a" }),
    line(1, { verb: "watch", resource: "releases" }),
    line(2, { verb: "update", resource: "leases" }),
    line(3, { resource: "deployments", name: "a", query: "dryRun=All&force=true" }),
    line(4, { resource: "releases", name: "a", user: "driver" }),
    "",
  ];
  expect(Object.fromEntries(countRequests(readRequests(lines)))).toEqual({
    "patch releases/status": 1,
    "patch deployments (dry run)": 1,
  });
});

test("timesAfterApproval() counts from the Approval, for any order of the lines", () => {
  const lines = [
    line(50, { resource: "releases", name: "a-prod" }),
    line(100, { verb: "create", resource: "approvals", name: "ok", user: "driver" }),
    line(400, { resource: "deployments", name: "a-prod" }),
    line(130, { resource: "promotions", name: "a-prod-1" }),
    line(150, { resource: "releases", name: "a-dev" }),
    line(160, { resource: "releases", name: "a-prod" }),
    line(170, { resource: "deployments", name: "a-prod", query: "dryRun=All" }),
  ];
  const times = timesAfterApproval(readRequests(lines), { approval: "ok", release: "a-prod" });
  expect(times).toMatchObject({ createdMs: 30, pinMs: 60, firstWriteMs: 300 });
  expect(times?.requests).toHaveLength(5);
  expect(timesAfterApproval(readRequests(lines), { approval: "no", release: "a-prod" })).toBeUndefined();
});
