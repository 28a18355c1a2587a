import type { Reporter, TestModule } from "vitest/node";

/** Ends every run with the plain line that CI reads: `N passed, N failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
      }
      // A file that cannot be loaded has no tests, so count it as one failure.
      if (module.state() === "failed" && tests.every((test) => test.result().state !== "failed")) failed += 1;
    }
    if (skipped > 0) process.stdout.write(`${skipped} skipped\n`);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }
}
