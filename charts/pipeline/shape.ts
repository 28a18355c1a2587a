import type { PipelineSpec } from "../../crds/pipeline.ts";
import type { PipelineStage } from "../../crds/pipeline-stage.ts";

/** A stage with its defaults. */
export interface Stage extends PipelineStage {
  /** Names of the stages that a candidate must pass first. */
  readonly comesAfter: readonly string[];
  /** Keys (`namespace/name`) of its Releases, sorted. */
  readonly keys: readonly string[];
  /** Its name and its earlier names. */
  readonly names: ReadonlySet<string>;
}

/** Whether Approvals by authors of the commits do not count for a stage. Pure. */
export function excludesAuthors({ enter }: Pick<PipelineStage, "enter">): boolean {
  return enter?.approvals?.notAuthor === true;
}

/**
 * The stages of a Pipeline.
 *
 * @throws RangeError if the stages contradict each other.
 */
export function readStages(
  spec: Pick<PipelineSpec, "stages">,
  { namespace }: { readonly namespace: string },
): readonly Stage[] {
  const stages = spec.stages.map((stage, index): Stage => {
    const before = spec.stages[index - 1];
    const { name, releases = [], formerly = [], after = before === undefined ? [] : [before.name] } = stage;
    const keys = releases.map((release) => `${release.namespace ?? namespace}/${release.name}`).sort();
    return { ...stage, comesAfter: after, keys, names: new Set([name, ...formerly]) };
  });
  refuseRepeated(stages);
  for (const { name, comesAfter } of stages) {
    const unknown = comesAfter.find((after) => !stages.some((stage) => stage.name === after));
    if (unknown !== undefined)
      throw new RangeError(`stage "${name}" comes after "${unknown}", which does not exist`);
  }
  const cycle = findCycle(stages);
  if (cycle !== undefined) throw new RangeError(`stages come after each other: ${cycle.join(" → ")}`);
  return stages;
}

/** The stages; undefined if they contradict each other, or the spec is invalid. */
export function readStagesIfValid(
  spec: Partial<PipelineSpec> | undefined,
  where: { readonly namespace: string },
): readonly Stage[] | undefined {
  try {
    return spec?.stages === undefined ? undefined : readStages({ stages: spec.stages }, where);
  } catch {
    return undefined;
  }
}

function refuseRepeated(stages: readonly Stage[]): void {
  const stageOf = new Map<string, string>();
  const currentName = new Map<string, string>();
  for (const { name, names, keys } of stages) {
    for (const one of names) {
      const other = currentName.get(one);
      if (other !== undefined) throw new RangeError(`two stages have, or had, the name "${one}"`);
      currentName.set(one, name);
    }
    for (const key of keys) {
      const other = stageOf.get(key);
      if (other !== undefined)
        throw new RangeError(
          other === name
            ? `stage "${name}" has Release "${key}" twice`
            : `stages "${other}" and "${name}" have Release "${key}"`,
        );
      stageOf.set(key, name);
    }
  }
}

/** Names of stages that form a cycle; the first one is repeated at the end. */
function findCycle(stages: readonly Stage[]): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    const comesAfter = stages.find((stage) => stage.name === name)?.comesAfter ?? [];
    for (const after of comesAfter) {
      const cycle = visit(after, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const { name } of stages) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Namespace and name in a key. Pure. */
export function nameOf(key: string): { readonly name: string; readonly namespace: string } {
  const slash = key.indexOf("/");
  return { name: key.slice(slash + 1), namespace: key.slice(0, slash) };
}
