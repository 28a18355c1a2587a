import { defineConfig } from "vitest/config";

/** Two suites: `unit` touches nothing outside the process, `cluster` runs stories on a real API server. */
export default defineConfig({
  test: {
    reporters: ["default", "./test/summary-reporter.ts"],
    root: new URL("..", import.meta.url).pathname,
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/cluster/**"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "cluster",
          include: ["test/cluster/**/*.test.ts"],
          globalSetup: ["test/cluster/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
