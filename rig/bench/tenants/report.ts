import { medianOf, ratioOfMedians, seededRandom } from "../report/bootstrap.ts";

/** A custom resource that is edited, or a Release that is pushed to. */
export type EditKind = "resource" | "release";

/** Latencies of one kind of edit, in milliseconds. */
export interface EditsBeside {
  readonly kind: EditKind;
  readonly withoutMs: readonly number[];
  readonly withMs: readonly number[];
}

/** Maximum ratio of the p50 with a hostile tenant to the p50 without one. */
export const LIMIT = 1.1;

const titles: Record<EditKind, string> = {
  resource: "custom resource edited → Deployment changed",
  release: "hook after a push → Deployment changed",
};

/** The order of blocks of edits: without and with the hostile tenant, forward and backward. Pure. */
export function blocksOf(
  edits: number,
  most = 20,
): readonly { readonly isBeside: boolean; readonly edits: number }[] {
  const sizes = Array.from({ length: Math.ceil(edits / most) }, (_, index) =>
    Math.min(most, edits - index * most),
  );
  return sizes.flatMap((size, index) => {
    const pair = [
      { isBeside: false, edits: size },
      { isBeside: true, edits: size },
    ];
    return index % 2 === 0 ? pair : pair.toReversed();
  });
}

/** Computes the p50 with and without, and their ratio. It holds if its bootstrap interval reaches the limit. Pure. */
export function assessEdits({ kind, withoutMs, withMs }: EditsBeside): {
  readonly line: string;
  readonly holds: boolean;
} {
  const ratio = ratioOfMedians(withMs, withoutMs, { random: seededRandom(1) });
  const holds = ratio !== undefined && ratio.low <= LIMIT;
  const [beside, alone] = [withMs, withoutMs].map(
    (times) => `${medianOf(times).toFixed(1)} ms (${times.length})`,
  );
  const interval =
    ratio === undefined
      ? "no ratio"
      : `${ratio.value.toFixed(2)} [${ratio.low.toFixed(2)}, ${ratio.high.toFixed(2)}]`;
  const line = `${titles[kind]}: p50 ${beside} with, ${alone} without, ratio ${interval}, limit ${LIMIT}: ${holds ? "holds" : "DOES NOT HOLD"}`;
  return { line, holds };
}
