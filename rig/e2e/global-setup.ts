import type { TestProject } from "vitest/node";
import { type Preparation, prepare } from "./prepare.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly endToEnd: Preparation;
  }
}

/** Provides the parts of a run before the tests start. Prints one line if a run is not possible here. */
export default async function prepareEndToEnd(project: TestProject): Promise<void> {
  let lastMs = Number.NEGATIVE_INFINITY;
  const report = (line: string) => {
    if (!line.startsWith("Building") || performance.now() - lastMs < 15_000) return;
    lastMs = performance.now();
    process.stderr.write(`${line}\n`);
  };
  const prepared = await prepare(report);
  if (prepared.missing !== undefined) {
    process.stderr.write(
      `End to end on real containers: skipped, because this machine lacks ${prepared.missing}\n`,
    );
  }
  project.provide("endToEnd", prepared);
}
