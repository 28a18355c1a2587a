import { expect, test } from "vitest";
import { readRequests } from "../../../../rig/bench/pipelines/audited-requests.ts";
import { holdAll, type PipelineResults, pipelineReport } from "../../../../rig/bench/pipelines/report.ts";

const use = { allMiB: 480, sharedOnceMiB: 380, childrenMiB: 100, operatorMiB: 280, cpuSeconds: 2 };
const request = (resource: string, subresource?: string): string =>
  JSON.stringify({
    verb: "patch",
    requestURI: "/apis",
    user: { username: "operator" },
    objectRef: { resource, name: "x", ...(subresource && { subresource }) },
    requestReceivedTimestamp: "2026-01-01T00:00:00Z",
  });
const requests = readRequests([
  request("promotions"),
  request("releases"),
  request("releases", "status"),
  request("promotions", "status"),
  request("pipelines", "status"),
]);

const results: PipelineResults = {
  pipelines: 10,
  load1: 0.5,
  fill: { readyMs: 12_000, use, requests: new Map([["patch releases", 60]]) },
  idle: { seconds: 60, use, requests: new Map() },
  push: {
    liveMs: [100, 200, 300],
    prodMs: [1_000, 2_000, 3_000],
    requests: new Map([
      ["patch releases", 30],
      ["create events", 3],
    ]),
    others: new Map(),
    renders: 18,
    pushes: [],
  },
  gate: { times: [{ createdMs: 20, pinMs: 50, firstWriteMs: 200, requests }] },
};

const rowsOf = (report: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    report
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, title = "", ...cells]) => [title, cells.slice(0, 3)]),
  );

test("pipelineReport() compares each line with its limit", () => {
  expect(holdAll(results)).toBe(true);
  const rows = rowsOf(pipelineReport(results));
  expect(rows).toMatchObject({
    "peak memory of the operator, MiB": ["280", "≤ 400", "yes"],
    "requests in 60 s of idling": ["0", "≤ 0", "yes"],
    "push → dev live, p50, ms": ["200", "≤ 250", "yes"],
    "requests per push": ["10", "", ""],
    "renders per push": ["6", "≤ 6", "yes"],
    "approval → pin, p50, ms": ["50", "≤ 1000", "yes"],
    "status writes of Pipeline and Promotion, most": ["2", "≤ 2", "yes"],
  });
});

test("pipelineReport() names the exceeded limits", () => {
  const others = new Map([["patch pipelines/status", 1]]);
  const [time] = results.gate.times;
  const gate = {
    times: [{ createdMs: 20, pinMs: undefined, firstWriteMs: 1_200, requests: time?.requests ?? [] }],
  };
  const broken = { ...results, push: { ...results.push, others }, gate };
  expect(holdAll(broken)).toBe(false);
  expect(rowsOf(pipelineReport(broken))).toMatchObject({
    "about other Pipelines": ["1", "≤ 0", "NO"],
    "approval → pin, p50, ms": ["Infinity", "≤ 1000", "NO"],
    "approval → first write in prod, p50, ms": ["1200", "≤ 1000", "NO"],
  });
});
