import { type Interval, medianOf, ratioOfMedians, seededRandom } from "../report/bootstrap.ts";

/** A custom resource that is edited, or a Release that is pushed to. */
export type EditKind = "resource" | "release";

/**
 * State of the hostile tenant while edits are measured. `suspended`: it pushes and edits as always, but its Releases are
 * suspended. So the load of the git host, of the API server and of the rig is the same, and the operator renders nothing.
 */
export type Beside = "absent" | "suspended" | "served";

/** Latencies of one kind of edit, in milliseconds. */
export interface MeasuredEdits extends Readonly<Record<Beside, readonly number[]>> {
  readonly kind: EditKind;
}

/** Maximum ratio of the p50 with a hostile tenant to the p50 without one. */
export const LIMIT = 1.1;

const titles: Record<EditKind, string> = {
  resource: "custom resource edited → Deployment changed",
  release: "hook after a push → Deployment changed",
};

/** The order of blocks of edits: with more and more of the hostile tenant, then with less and less. Pure. */
export function blocksOf(
  edits: number,
  most = 20,
): readonly { readonly beside: Beside; readonly edits: number }[] {
  const sizes = Array.from({ length: Math.ceil(edits / most) }, (_, index) =>
    Math.min(most, edits - index * most),
  );
  return sizes.flatMap((size, index) => {
    const blocks = (["absent", "suspended", "served"] as const).map((beside) => ({ beside, edits: size }));
    return index % 2 === 0 ? blocks : blocks.toReversed();
  });
}

/**
 * Computes the p50 beside a hostile tenant, and its ratio to the p50 without one. It holds if the bootstrap interval of the
 * ratio reaches the limit. The ratio to the p50 beside suspended Releases is the operator's part. Pure.
 */
export function assessEdits({ kind, absent, suspended, served }: MeasuredEdits): {
  readonly lines: readonly string[];
  readonly holds: boolean;
} {
  const { line, holds } = assessRatio(titles[kind], { served, absent });
  const ofOperator = ratioOfMedians(served, suspended, { random: seededRandom(1) });
  return {
    lines: [
      line,
      `  while its Releases are suspended: p50 ${show(suspended)}, ratio of with to this ${showRatio(ofOperator)}`,
    ],
    holds,
  };
}

/** The first part of {@link assessEdits}, for any kind of edit. Pure. */
export function assessRatio(
  title: string,
  { served, absent }: Pick<MeasuredEdits, "served" | "absent">,
): { readonly line: string; readonly holds: boolean } {
  const ratio = ratioOfMedians(served, absent, { random: seededRandom(1) });
  const holds = ratio !== undefined && ratio.low <= LIMIT;
  const verdict = `limit ${LIMIT}: ${holds ? "holds" : "DOES NOT HOLD"}`;
  const p50 = `p50 ${show(served)} with, ${show(absent)} without`;
  return { line: `${title}: ${p50}, ratio ${showRatio(ratio)}, ${verdict}`, holds };
}

function show(times: readonly number[]): string {
  return `${medianOf(times).toFixed(1)} ms (${times.length})`;
}

function showRatio(ratio: Interval | undefined): string {
  if (ratio === undefined) return "unknown";
  return `${ratio.value.toFixed(2)} [${ratio.low.toFixed(2)}, ${ratio.high.toFixed(2)}]`;
}
