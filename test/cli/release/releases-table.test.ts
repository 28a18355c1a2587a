import { expect, test } from "vitest";
import { ageOf } from "../../../cli/release/age-text.ts";
import { formatReleases } from "../../../cli/release/releases-table.ts";
import { aRelease, commitId, condition } from "./a-release.ts";

const nowMs = Date.parse("2026-01-01T01:00:00Z");

test("formatReleases() shows in one line each whether a Release is ready, its revision, and why", () => {
  const web = aRelease({
    spec: { revision: commitId("aaaa") },
    status: {
      revision: commitId("aaaa"),
      conditions: [condition("Ready", "True", { reason: "Reconciled", message: "4 objects\nin place" })],
    },
  });
  const made = { ...web, metadata: { ...web.metadata, creationTimestamp: "2026-01-01T00:57:00Z" } };
  const lines = formatReleases([made, aRelease({ name: "new", namespace: "other" })], {
    namespaces: true,
    nowMs,
  });
  expect(lines).toEqual([
    "NAMESPACE  NAME  READY    STATUS              REVISION    AGE        MESSAGE",
    "shop       web   True     Reconciled, pinned  aaaa000000  3m         4 objects in place",
    "other      new   Unknown  Pending             none        <unknown>",
  ]);
  expect(formatReleases([made], { namespaces: false, nowMs })[0]).toMatch(/^NAME /);
});

test.for([
  { time: "2026-01-01T00:59:15Z", age: "45s" },
  { time: "2026-01-01T01:00:05Z", age: "0s" },
  { time: "2026-01-01T00:30:00Z", age: "30m" },
  { time: "2025-12-31T20:00:00Z", age: "5h" },
  { time: "2025-12-20T01:00:00Z", age: "12d" },
  { time: undefined, age: "<unknown>" },
])("ageOf() shows $time as $age", ({ time, age }) => {
  expect(ageOf(time, nowMs)).toBe(age);
});
