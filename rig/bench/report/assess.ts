import type { ResultLine } from "../cell/driver-process.ts";
import { type Interval, medianOf, ratioOfMedians, seededRandom } from "./bootstrap.ts";
import { type Line, linesOf } from "./lines.ts";

/** A result, with its implementation and round. */
export interface Measurement extends ResultLine {
  readonly implementation: string;
  readonly round: number;
}

/** A line of the report about one of our implementations. */
export interface Finding {
  readonly scenario: string;
  readonly resources: number;
  readonly title: string;
  readonly implementation: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly ratio: Interval | undefined;
  /** Such as `≤ 0.9 ×`; empty: there is no limit. */
  readonly limit: string;
  /** Undefined: there is no limit, or no value for the comparison. */
  readonly holds: boolean | undefined;
}

const peer = "podset-go";

/**
 * Compares our implementations with the Go operator, line by line. A ratio holds if its bootstrap interval reaches the limit. An
 * absolute number holds if the median of our rounds is within the limit (limit 0: if every round is). Lines without numbers are
 * left out. Pure.
 */
export function assess(measurements: readonly Measurement[]): Finding[] {
  const groups = Map.groupBy(measurements, ({ scenario, n }) => `${scenario} ${n}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = [...new Set(group.map(({ implementation }) => implementation))];
    const ours = names.filter((name) => name !== peer);
    return linesOf(first.scenario).flatMap((line) =>
      (ours.length === 0 ? [peer] : ours)
        .map((implementation) => assessLine(line, implementation, group))
        .filter((finding) => finding.ours.length > 0),
    );
  });
}

function assessLine(line: Line, implementation: string, group: readonly Measurement[]): Finding {
  const resources = group[0]?.n ?? 0;
  const numbersOf = (name: string): number[] =>
    group
      .filter((one) => one.implementation === name)
      .map(line.read)
      .filter((value) => value !== undefined);
  const ours = numbersOf(implementation);
  const theirs = implementation === peer ? [] : numbersOf(peer);
  const ratio = ratioOfMedians(ours, theirs, { random: seededRandom(1) });
  const [factor, most] = [line.ratio?.({ implementation, resources }), line.most?.({ resources })];
  const limit = factor !== undefined ? `≤ ${factor} ×` : most !== undefined ? `≤ ${most}` : "";
  const isKept = (): boolean | undefined => {
    if (factor !== undefined) return ratio === undefined ? undefined : ratio.low <= factor;
    if (most === undefined) return undefined;
    return (most === 0 ? Math.max(...ours) : medianOf(ours)) <= most;
  };
  const common = { scenario: line.scenario, resources, title: line.title, implementation };
  return { ...common, ours, theirs, ratio, limit, holds: implementation === peer ? undefined : isKept() };
}
