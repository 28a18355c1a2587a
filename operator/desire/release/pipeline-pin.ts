import type { ReleaseResource } from "../../../crds/release.ts";
import type { ApplyOutcome } from "../../engine/outcome.ts";

type Spec = Pick<ReleaseResource["spec"], "source" | "revision">;

/** A stage of a Pipeline. */
export interface StageRef {
  readonly pipeline: string;
  readonly stage: string;
  /** Namespace of the Pipeline. Undefined: that of the Release. */
  readonly namespace?: string | undefined;
}

/** The stage of a Release; undefined: the Release follows a ref of its repository. Pure. */
export function stageOf({ source }: { readonly source?: Spec["source"] | undefined }): StageRef | undefined {
  const { pipeline, stage = "", namespace } = source?.ref ?? {};
  return pipeline === undefined ? undefined : { pipeline, stage, namespace };
}

/**
 * The commit at which a Release stays regardless of changes of a branch; undefined: it follows its ref. A Release of a stage
 * whose pin was removed stays at the deployed commit. Pure.
 */
export function pinOf({
  spec,
  status,
}: {
  readonly spec: Spec;
  readonly status?: Partial<NonNullable<ReleaseResource["status"]>> | undefined;
}): string | undefined {
  if (spec.revision !== undefined || stageOf(spec) === undefined) return spec.revision;
  return status?.deployed?.revision ?? status?.revision;
}

/** The outcome of a Release of a stage before its first pin; undefined: it has a commit, or follows a ref. Pure. */
export function findPinWait(resource: Pick<ReleaseResource, "spec" | "status">): ApplyOutcome | undefined {
  const stage = stageOf(resource.spec);
  if (stage === undefined || pinOf(resource) !== undefined) return undefined;
  const message = `Waiting for ${describeStage(stage)} to set spec.revision`;
  return { state: "waiting", reason: "PinPending", message, isWatched: true };
}

/** `Pipeline shop, stage prod`. Pure. */
export function describeStage({ pipeline, stage, namespace }: StageRef): string {
  return `Pipeline ${namespace === undefined ? "" : `${namespace}/`}${pipeline}, stage ${stage}`;
}
