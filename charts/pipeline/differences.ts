import type { Candidate } from "../../crds/pipeline-status.ts";
import { shortId } from "../../crds/short-id.ts";
import { adviseOnNames } from "../../crds/stage-differences.ts";
import { type ComparedPair, describeDifference, differsIn, isEqualFor, pairsOf } from "./comparisons.ts";
import type { ClosedGate } from "./gates.ts";
import type { Stage } from "./shape.ts";
import { candidateOf, type PipelineWorld } from "./world.ts";

/** Maximum number of texts in one message. */
const mostTexts = 3;

/** The gate that undeclared differences between a stage and earlier stages close; undefined: there are none. Pure. */
export function closedByDifferences(
  revision: string,
  { stage, world }: { readonly stage: Stage; readonly world: PipelineWorld },
): ClosedGate | undefined {
  const { differing, unknown } = undeclaredIn(revision, { stage, world });
  const texts = [...differing, ...unknown];
  if (texts.length === 0) return undefined;
  const more = texts.length > mostTexts ? `; and ${texts.length - mostTexts} more` : "";
  const advice = differing.length > 0 ? `, which is not declared${adviseOnNames(differing)}` : "";
  return {
    gate: "Differences",
    message: `${shortId(revision)}: ${texts.slice(0, mostTexts).join("; ")}${more}${advice}`,
  };
}

/** The undeclared differences between the Releases of a stage and of earlier stages, and the missing comparisons. Pure. */
export function undeclaredIn(
  revision: string,
  { stage, world }: { readonly stage: Stage; readonly world: PipelineWorld },
): { readonly differing: readonly string[]; readonly unknown: readonly string[] } {
  const { pairs, problems } = pairsOf(stage, world);
  const candidate = candidateOf(world.record, revision);
  if (candidate === undefined && pairs.length > 0)
    return { differing: [], unknown: ["it is not a candidate, so it is not compared with earlier stages"] };
  const planned = candidate?.releases ?? [];
  const differing = new Set<string>();
  const unknown = [...problems];
  for (const pair of pairs) {
    const isEqual = isEqualFor(pair, planned);
    if (isEqual === undefined)
      unknown.push(`Release "${pair.key}" is not compared with Release "${pair.other}" yet`);
    if (isEqual !== false) continue;
    const start = differsIn(pair, [""]);
    const { differences = [] } = planned.find(({ release }) => release === pair.key) ?? {};
    differing.add(
      differences.find((text) => text.startsWith(start)) ??
        differsIn(pair, ["fields that `fairlead plan` names"]),
    );
  }
  return { differing: [...differing], unknown };
}

/**
 * Adds to a candidate the names of the fields in which its Releases differ. The names are kept after the Releases have
 * planned another commit. Pure.
 *
 * @param before The recorded candidate.
 */
export function withDifferences(
  candidate: Candidate,
  world: PipelineWorld,
  before: Candidate | undefined,
): Candidate {
  if (world.pairs.size === 0) return candidate;
  const releases = candidate.releases.map(({ differences: _, ...planned }) => {
    const earlier = before?.releases.find(({ release }) => release === planned.release)?.differences ?? [];
    const isAsBefore = (pair: ComparedPair): boolean =>
      before !== undefined && comparedBy(pair, before) === comparedBy(pair, candidate);
    const pairs = world.pairs.get(planned.release) ?? [];
    const texts = pairs
      .filter((pair) => pair.key === planned.release && isEqualFor(pair, candidate.releases) === false)
      .flatMap((pair) => {
        const start = differsIn(pair, [""]);
        return (
          describeDifference(pair, candidate.releases, world) ??
          (isAsBefore(pair) ? earlier.find((text) => text.startsWith(start)) : undefined) ??
          []
        );
      });
    return { ...planned, ...(texts.length > 0 && { differences: texts }) };
  });
  return { ...candidate, releases };
}

/** The digests that are compared for a pair, as one text. */
function comparedBy({ key, other, rules }: ComparedPair, { releases }: Candidate): string {
  return [key, other]
    .map((release) => releases.find((one) => one.release === release))
    .map((planned) => planned?.compared?.find((one) => one.rules === rules)?.digest)
    .join(" ");
}

/** Whether a Release of a candidate has not been compared with other stages by the current rules. Pure. */
export function lacksComparison(
  key: string,
  { compared = [], error }: Candidate["releases"][number],
  { pairs }: Pick<PipelineWorld, "pairs">,
): boolean {
  if (error !== undefined) return false;
  const wanted = new Set(pairs.get(key)?.map(({ rules }) => rules));
  return [...wanted].some((rules) => !compared.some((one) => one.rules === rules));
}
