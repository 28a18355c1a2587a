import { defineConfig } from "vitest/config";
import StorySequencer from "./story-sequencer.ts";

/**
 * Alone, after the others: stories that promise times, that free ports for a moment, or that look back at all the others.
 */
const alone = ["leader", "repair", "local-cluster", "rights-used"].map(
  (name) => `test/cluster/${name}.test.ts`,
);

/** Measures, for minutes; where it is asked for. */
const measuring =
  process.env["FAIRLEAD_FAILOVER_ROUNDS"] === undefined ? ["test/cluster/failover.test.ts"] : [];

const onCluster = {
  globalSetup: ["test/cluster/global-setup.ts"],
  testTimeout: 120_000,
  hookTimeout: 600_000,
};

/** Stories on a real node take root's rights and a minute: where they are asked for, that is, in CI. */
const endToEnd = {
  test: {
    name: "e2e",
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/e2e/global-setup.ts"],
    testTimeout: 180_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    sequence: { groupOrder: 3 },
  },
};

/**
 * `unit` touches nothing outside the process, `cluster` and `cluster-alone` run stories on a real API server, and `e2e`
 * on real containers.
 */
export default defineConfig({
  test: {
    reporters: ["default", "./test/summary-reporter.ts"],
    root: new URL("..", import.meta.url).pathname,
    sequence: { sequencer: StorySequencer },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/cluster/**", "test/e2e/**"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          ...onCluster,
          name: "cluster",
          include: ["test/cluster/**/*.test.ts"],
          exclude: [...alone, ...measuring],
          // Stories have namespaces, users and repositories of their own, and mostly wait.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...onCluster,
          name: "cluster-alone",
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      ...(process.env["FAIRLEAD_E2E"] === "1" ? [endToEnd] : []),
    ],
  },
});
