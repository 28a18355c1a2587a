import { expect, test } from "vitest";
import { type ReleaseResults, releaseReport } from "../../../../rig/bench/releases/report.ts";

const results: ReleaseResults = {
  sets: 10,
  programs: 0,
  load1: 0.5,
  fill: {
    readyMs: 12_000,
    use: { allMiB: 200, sharedOnceMiB: 190, childrenMiB: 20, operatorMiB: 180, cpuSeconds: 9 },
    calls: new Map([
      ["patch deployments", 10],
      ["patch serviceaccounts", 10],
      ["patch services", 10],
      ["patch ingresses", 10],
      ["patch releases", 10],
      ["patch releases/status", 10],
    ]),
  },
  push: {
    liveMs: [100, 200, 300, 2_500],
    readyMs: [200, 300, 400, 2_600],
    calls: new Map([
      ["patch deployments", 4],
      ["patch releases/status", 4],
    ]),
    renders: 4,
  },
  poll: { calls: new Map([["get releases", 1]]), renders: 0 },
  edit: { backMs: [50, 60], calls: new Map([["patch deployments", 2]]) },
};

const rowsOf = (report: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    report
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, title = "", ...cells]) => [title, cells]),
  );

test("releaseReport() contains the numbers of Flux, ours and whether the limits are met", () => {
  const rows = rowsOf(releaseReport(results));
  expect(rows["all Ready, s"]?.slice(0, 4)).toEqual(["183", "12.0", "≤ 18", "yes"]);
  expect(rows["applies"]?.slice(0, 4)).toEqual(["4", "4", "≤ 4", "yes"]);
  expect(rows["other writes"]?.slice(1, 4)).toEqual(["2", "≤ 3", "yes"]);
  expect(rows["push → live, p99, ms"]?.slice(1, 4)).toEqual(["2500", "≤ 2000", "NO"]);
  expect(rows["renders per push"]?.slice(1, 4)).toEqual(["1", "≤ 1", "yes"]);
  expect(rows["calls, a poll without changes"]?.slice(1, 4)).toEqual(["1", "≤ 0", "NO"]);
  expect(rows["edit of an object reverted, longest, ms"]?.slice(1, 4)).toEqual(["60", "≤ 2000", "yes"]);
});

test("releaseReport() names missing measurements, and does not compare them", () => {
  const rows = rowsOf(
    releaseReport({
      ...results,
      programs: 3,
      program: {
        readyMs: 1_000,
        pushMs: 500,
        use: results.fill.use,
        calls: new Map(),
        bundles: [1, 1],
        firstRenderMs: [151, 44],
        warmTogetherMs: 9,
        warmAloneMs: undefined,
      },
    }),
  );
  expect(rows["bundles per commit"]?.slice(1, 4)).toEqual(["1, 1", "≤ 1", "yes"]);
  expect(rows["first render, filling, ms"]?.slice(1, 4)).toEqual(["151", "≤ 150", "NO"]);
  expect(rows["first render, pushed, ms"]?.slice(1, 4)).toEqual(["44", "≤ 150", "yes"]);
  expect(rows["warm render, all at once, ms"]?.slice(1, 4)).toEqual(["9", "≤ 5", "NO"]);
  expect(rows["warm render, ms"]?.slice(1, 4)).toEqual(["?", "≤ 5", ""]);
});
