import { setTimeout as sleep } from "node:timers/promises";
import type { PointsResult, RunPointsOptions } from "./kill-suite.ts";

/** Maximum time until convergence: enough for a busy machine, and for the garbage collector, which discovers kinds every 30 s. */
const convergeMs = 180_000;
const pollMs = 150;

/** The actions of a kill suite at its points. */
export interface KillSteps<Point> {
  readonly operator: { start(): void; readonly log: readonly string[] };
  /** Longer times until convergence are reported. */
  readonly slowMs: number;
  /** Kills the operator at a point. Resolves to whether it was working. */
  readonly killAt: (point: Point) => Promise<boolean>;
  /** Acts while the operator is down. */
  readonly actWhileDown: (point: Point) => Promise<void>;
  readonly describe: (point: Point) => string;
  /** The differences from the desired state. */
  readonly findDifferences: () => Promise<readonly string[]>;
  /** Acts as the users, such as approving, until the desired state is reached. */
  readonly actAsUsers: () => Promise<void>;
}

interface Convergence {
  /** The remaining differences after the maximum time. */
  readonly differences: readonly string[];
  readonly tookMs: number;
  /** The last resolved differences. */
  readonly last: string;
}

/**
 * Kills the operator at one point after the other, starts it again, and waits until the desired state is reached. Ends
 * after the first violation.
 */
export async function killAtPoints<Point>(
  { seed, points, onPoint = () => undefined, signal }: RunPointsOptions<Point>,
  steps: KillSteps<Point>,
): Promise<PointsResult> {
  const { operator, slowMs, killAt, actWhileDown, describe } = steps;
  const violations: string[] = [];
  let [done, midway] = [0, 0];
  operator.start();
  for (const point of points) {
    if (signal?.aborted || violations.length > 0) break;
    if (await killAt(point)) midway += 1;
    await actWhileDown(point);
    operator.start();
    const { differences, tookMs, last } = await untilConverged(steps);
    const slow = tookMs > slowMs ? `, waiting for: ${last.slice(0, 500)}` : "";
    const text = `${describe(point)} → ${(tookMs / 1_000).toFixed(1)} s${slow}`;
    violations.push(...differences.map((one) => `seed ${seed}, ${text}: ${one}`));
    done += 1;
    onPoint(text);
  }
  return { seed, points: done, midway, violations, log: operator.log };
}

/** Waits until there are no differences, at most {@link convergeMs}. */
export async function untilConverged({
  findDifferences,
  actAsUsers,
}: Pick<KillSteps<never>, "findDifferences" | "actAsUsers">): Promise<Convergence> {
  const started = performance.now();
  for (let last = ""; ; ) {
    const differences = await findDifferences();
    const tookMs = performance.now() - started;
    if (differences.length === 0 || tookMs > convergeMs) return { differences, tookMs, last };
    last = differences.join("; ");
    await actAsUsers();
    await sleep(pollMs);
  }
}
