import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { isLong } from "./long.ts";
import { longClusterFiles, longUnitFiles } from "./long-files.ts";
import LongestFirst from "./longest-first.ts";

function inCluster(name: string): string {
  return `test/cluster/${name}.test.ts`;
}

/**
 * After the others, two at a time: tests that measure times, count writes that a slow rollout adds to, compute, or free ports for
 * a moment. They wait most of the time.
 */
const alone = [
  "leader",
  "leader-killed",
  "pipeline-cost",
  "repair",
  "local-cluster-restart",
  "release-quota",
].map(inCluster);

/** Looks back at all the others. */
const last = ["test/cluster/rights-used.test.ts"];

const long = isLong ? [] : [...longUnitFiles, ...longClusterFiles.map(inCluster)];

/** Measures, for minutes; where it is asked for. */
const measuring =
  process.env["FAIRLEAD_FAILOVER_ROUNDS"] === undefined ? ["test/cluster/failover.test.ts"] : [];

/**
 * Each in a process of its own: those that bundle, because they share the bundler's process and some end it, and those
 * that measure what a process takes, where a heap that is full of others' would count.
 */
const isolated = [
  "test/operator/sandbox/program/**/*.test.ts",
  "test/cli/image/**/*.test.ts",
  "test/cli/plain-node-render.test.ts",
  "test/operator/cluster/slices.test.ts",
  "test/operator/render/turns.test.ts",
  "test/operator/runtime/queue.test.ts",
  "test/operator/telemetry/metrics.test.ts",
];

/** Measures the memory of processes that others' work slows down: what is filled between two looks would count. */
const measuringMemory = ["test/operator/sandbox/program/program-memory.test.ts"];

// For all programs of Kubernetes that a run starts: tests wait for processors, not for memory.
process.env["GOGC"] ??= "400";
process.env["GOMEMLIMIT"] ??= "1GiB";
// On two cores, a second thread of Go wakes up for most requests, finds nothing, and sleeps again: a quarter of its processor time.
process.env["GOMAXPROCS"] ??= String(Math.max(1, Math.floor(availableParallelism() / 2)));
// Most of a start of our programs is stripping types: a process that ends in order caches the result for the next one.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "fairlead-test-compile-cache");

/**
 * Limits for a machine that is several times slower than usual: a wait inside a test has its own limit of 240 s
 * (`test/cluster/eventually.ts`), and reports what is missing.
 */
const patient = { testTimeout: 600_000, hookTimeout: 900_000, expect: { poll: { timeout: 240_000 } } };

/** Files share processes, as those of `unit` do: no module keeps state of a test, and an import takes as long as a test. */
const onCluster = {
  globalSetup: ["test/cluster/global-setup.ts"],
  ...patient,
  isolate: false,
};

/** Tests have namespaces, users and repositories of their own. Each waits for most of its time: 6 keep two cores busy, and with 8 some miss their limits. */
const sideBySide = { maxWorkers: 6, sequence: { groupOrder: 1 } };
const twoAtATime = { maxWorkers: 2, sequence: { groupOrder: 2 } };
const oneByOne = { maxWorkers: 1, sequence: { groupOrder: 3 } };

/**
 * Tests on a real node need root's rights and a minute: only on request, as in CI. One by one: beside other tests, operators with
 * short leases may lose them and restart.
 */
const endToEnd = {
  test: {
    globalSetup: ["rig/e2e/global-setup.ts"],
    ...patient,
    ...oneByOne,
    name: "e2e",
    include: ["rig/e2e/*.test.ts"],
  },
};

/**
 * Each file starts processes, those of sources dozens of git, or computes for over two seconds. `npm run check:fast` leaves these
 * files out.
 */
const slow = [
  "test/charts/pipeline/{record-size,reshaped,simulation,simulation-days,slow-rollouts}.test.ts",
  "test/cli/{build-launcher,closed-pipe,render,terminal-text}.test.ts",
  "test/cli/demo/shop-repository.test.ts",
  "test/cli/local-cluster/binaries.test.ts",
  "test/cli/release/diff/render-release.test.ts",
  "test/cli/why/why-release.test.ts",
  "test/operator/cluster/{kube-config,watch-cut}.test.ts",
  "test/operator/git/{bare-clone,cache-lock,git-process}.test.ts",
  "test/operator/git/publish/publish-isolated.test.ts",
  "test/operator/publish-elsewhere.test.ts",
  "test/operator/render/estimate-memory.test.ts",
  "test/operator/sandbox/{esbuild-command,node-isolated,zone-isolated}.test.ts",
  "test/operator/zones/zone-process.test.ts",
  "test/rig/tenants/published.test.ts",
  "test/synth/quiet.test.ts",
  "test/cli/{main,completion,launcher}.test.ts",
  "test/operator/git/confine-git.test.ts",
  "test/operator/git/publish/{git-publisher,local-clone,lying-publish-zone,publish-process,publish-process-isolation,publish-service,repository-branch,zone-main}.test.ts",
  "test/operator/git/source/**/*.test.ts",
  "test/operator/git/{https-remote,publisher-*,ssh-remote,writers}.test.ts",
  "test/operator/sandbox/{launcher,lying-zone,sandbox-processes,zone-main}.test.ts",
  "test/rig/faults/git-server.test.ts",
  "test/synth/main.test.ts",
];

/** Needs the benchmark's Go operator, which takes minutes to compile: `node rig/bench/main.ts takeover` asks for it. */
const rival = ["test/cluster/rival.test.ts"];
const besideRival = [{ test: { ...onCluster, ...oneByOne, name: "rival", include: rival } }];

/** By itself, the runner would keep one core for itself, also if there are only two. */
const unit = {
  testTimeout: 60_000,
  hookTimeout: 240_000,
  maxWorkers: Math.max(2, availableParallelism() - 1),
};

/**
 * `unit`, `unit-slow` and `unit-isolated` touch nothing outside the process, the projects `cluster*` run tests on a real API
 * server, `e2e` on real containers, `rival` beside a Go operator.
 */
export default defineConfig({
  test: {
    reporters: ["default", "./test/summary-reporter.ts"],
    root: new URL("..", import.meta.url).pathname,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...unit,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/cluster/**", ...isolated, ...slow],
          isolate: false,
        },
      },
      {
        test: {
          ...unit,
          name: "unit-slow",
          include: slow,
          exclude: long,
          isolate: false,
          testTimeout: 240_000,
        },
      },
      { test: { ...unit, name: "unit-isolated", include: isolated, exclude: measuringMemory } },
      { test: { ...unit, ...oneByOne, name: "unit-alone", include: measuringMemory } },
      {
        test: {
          ...onCluster,
          ...sideBySide,
          name: "cluster",
          include: ["test/cluster/**/*.test.ts"],
          exclude: [...alone, ...last, ...long, ...measuring, ...rival],
        },
      },
      { test: { ...onCluster, ...twoAtATime, name: "cluster-alone", include: alone, exclude: long } },
      { test: { ...onCluster, ...oneByOne, name: "cluster-last", include: last } },
      ...(process.env["FAIRLEAD_E2E"] === "1" ? [endToEnd] : []),
      ...(process.env["FAIRLEAD_RIVAL"] === "1" ? besideRival : []),
    ],
  },
});
