import type { ResultLine } from "../cell/driver-process.ts";
import { type Interval, medianOf, ratioOfMedians, seededRandom } from "./bootstrap.ts";
import { type Line, linesOf } from "./lines.ts";

/** A result, with its contestant and round. */
export interface Measurement extends ResultLine {
  readonly contestant: string;
  readonly round: number;
}

/** A line of the report about one of our contestants. */
export interface Finding {
  readonly scenario: string;
  readonly resources: number;
  readonly title: string;
  readonly contestant: string;
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
 * Compares our contestants with the Go operator, line by line. A ratio holds if its bootstrap interval reaches the limit. An
 * absolute number holds if the median of our rounds is within the limit (limit 0: if every round is). Lines without numbers are
 * left out. Pure.
 */
export function assess(measurements: readonly Measurement[]): Finding[] {
  const groups = Map.groupBy(measurements, ({ scenario, n }) => `${scenario} ${n}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = [...new Set(group.map(({ contestant }) => contestant))];
    const ours = names.filter((name) => name !== peer);
    return linesOf(first.scenario).flatMap((line) =>
      (ours.length === 0 ? [peer] : ours)
        .map((contestant) => assessLine(line, contestant, group))
        .filter((finding) => finding.ours.length > 0),
    );
  });
}

function assessLine(line: Line, contestant: string, group: readonly Measurement[]): Finding {
  const resources = group[0]?.n ?? 0;
  const numbersOf = (name: string): number[] =>
    group
      .filter((one) => one.contestant === name)
      .map(line.read)
      .filter((value) => value !== undefined);
  const ours = numbersOf(contestant);
  const theirs = contestant === peer ? [] : numbersOf(peer);
  const ratio = ratioOfMedians(ours, theirs, { random: seededRandom(1) });
  const [factor, most] = [line.ratio?.({ contestant, resources }), line.most?.({ resources })];
  const limit = factor !== undefined ? `≤ ${factor} ×` : most !== undefined ? `≤ ${most}` : "";
  const isKept = (): boolean | undefined => {
    if (factor !== undefined) return ratio === undefined ? undefined : ratio.low <= factor;
    if (most === undefined) return undefined;
    return (most === 0 ? Math.max(...ours) : medianOf(ours)) <= most;
  };
  const common = { scenario: line.scenario, resources, title: line.title, contestant };
  return { ...common, ours, theirs, ratio, limit, holds: contestant === peer ? undefined : isKept() };
}
