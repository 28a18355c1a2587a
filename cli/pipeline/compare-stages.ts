import { pairsOf } from "../../charts/pipeline/comparisons.ts";
import { readStages } from "../../charts/pipeline/shape.ts";
import { adviseOnNames, nameDifferences, type StageDifference } from "../../crds/stage-differences.ts";
import { comparableFields } from "../../operator/desire/release/comparable-fields.ts";
import { comparableDigestOf, listedField } from "../../operator/desire/release/compare-manifests.ts";
import type { DesiredSet } from "../../operator/engine/desired-set.ts";
import type { PipelineObject } from "./pipeline-object.ts";

/** The manifests of a Release. */
export interface RenderedSet {
  readonly prepared: Pick<DesiredSet, "objects">;
  /** See `homeOf()`. */
  readonly home: string;
}

/** The differences between a Release and a Release of an earlier stage. */
export interface ReleaseComparison {
  /** `namespace/name`. */
  readonly release: string;
  readonly other: string;
  /** The earlier stage. */
  readonly before: string;
  /** Digest of the declared differences. */
  readonly rules: string;
  /** Digests without the declared differences: equal if there are no others. */
  readonly digest: string;
  readonly otherDigest: string;
  /** Paths of the fields in which they differ, without values. */
  readonly undeclared: readonly string[];
  readonly declared: readonly string[];
}

/** The differences between a stage and earlier stages. */
export interface StageComparison {
  readonly releases: readonly ReleaseComparison[];
  /** Releases that cannot be compared, and the reasons. */
  readonly problems: readonly string[];
}

/**
 * Compares the manifests of a stage's Releases with those of earlier stages, as the operator does. Undefined: the stage has
 * no `differences`. Pure.
 */
export function compareStage(
  { spec, metadata: { namespace } }: PipelineObject,
  name: string,
  rendered: ReadonlyMap<string, RenderedSet>,
): StageComparison | undefined {
  const stages = readStages(spec, { namespace });
  const stage = stages.find((one) => one.name === name);
  if (stage?.differences === undefined) return undefined;
  const { differences } = stage;
  const { pairs, problems } = pairsOf(stage, { stages, namespace });
  const missing = pairs.flatMap(({ key, other }) =>
    rendered.has(key) && rendered.has(other)
      ? []
      : [`Release "${key}" cannot be compared with Release "${other}": one of them is not rendered`],
  );
  const releases = pairs.flatMap(({ key, other, before, rules }): readonly ReleaseComparison[] => {
    const [ours, theirs] = [rendered.get(key), rendered.get(other)];
    if (ours === undefined || theirs === undefined) return [];
    return [{ release: key, other, before, rules, ...compareSets({ ours, theirs }, differences) }];
  });
  return { releases, problems: [...problems, ...missing] };
}

/** Fields that identify objects. If they are declared as differences, objects are paired without them. */
const identity: ReadonlySet<string> = new Set(["metadata", "metadata.name", "metadata.namespace"]);

function compareSets(
  { ours, theirs }: { readonly ours: RenderedSet; readonly theirs: RenderedSet },
  differences: readonly StageDifference[],
): Pick<ReleaseComparison, "digest" | "otherDigest" | "undeclared" | "declared"> {
  const fieldsOf = ({ prepared, home }: RenderedSet, left: readonly StageDifference[]) =>
    comparableFields(prepared, { home, differences: left });
  const [here, there] = [fieldsOf(ours, differences), fieldsOf(theirs, differences)];
  const undeclared = nameDifferences(here.map(listedField), there.map(listedField));
  const pairing = differences.flatMap(({ fields = [], ...objects }) => {
    const names = fields.filter((field) => identity.has(field));
    return names.length === 0 ? [] : [{ ...objects, fields: names }];
  });
  const [all, others] = [fieldsOf(ours, pairing), fieldsOf(theirs, pairing)];
  return {
    digest: comparableDigestOf(here),
    otherDigest: comparableDigestOf(there),
    undeclared,
    declared: nameDifferences(all.map(listedField), others.map(listedField)).filter(
      (field) => !undeclared.includes(field),
    ),
  };
}

/** Whether there are undeclared differences, or comparisons that cannot be made. Pure. */
export function isDifferent(comparison: StageComparison | undefined): boolean {
  if (comparison === undefined) return false;
  const { releases, problems } = comparison;
  return problems.length > 0 || releases.some(({ digest, otherDigest }) => digest !== otherDigest);
}

/** A comparison for users, one line for each Release and field. Pure. */
export function formatComparison(stage: string, comparison: StageComparison | undefined): readonly string[] {
  if (comparison === undefined) return [];
  return [
    ...comparison.problems.map((problem) => `Stage ${stage}: ${problem}`),
    ...comparison.releases.flatMap(({ release, other, before, undeclared, declared }) => {
      const title = `Stage ${stage}: Release ${release} differs from Release ${other} of stage ${before} in`;
      return [
        ...undeclared.map(
          (field, index) =>
            `${title} ${field}, which is not declared${index === undeclared.length - 1 ? adviseOnNames(undeclared) : ""}`,
        ),
        ...(declared.length === 0 ? [] : [`${title} ${declared.join("; ")}, as declared`]),
      ];
    }),
  ];
}
