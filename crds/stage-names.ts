import * as z from "zod";
import { objectName } from "./source.ts";

/** Name of a Pipeline. */
export const pipelineName = objectName;

/** Name of a stage: without a dot, so that `pipeline.stage` is unambiguous. */
export const stageName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** Digest of the manifests of a stage, or of one of its Releases. */
export const stageDigest = z.string().regex(/^[0-9a-f]{32,64}$/);

/** Plural of the virtual resource on which RBAC grants the verbs of {@link stageVerbs}. No API serves it. */
export const VIRTUAL_STAGES = "stages";

/** Verbs on the virtual resource `stages`, whose objects are named by {@link stageRightName}. */
export const stageVerbs = {
  /** Allows creating and deleting Approvals of the stage. */
  approve: "approve",
  /** Allows creating and deleting Promotions to the stage, and pinning its Releases. */
  promote: "promote",
  /** Allows creating a Promotion that skips gates, or weakening the rules of the stage. */
  bypass: "bypass",
} as const;

/** Name of a stage in a Role: `pipeline.stage`. Pure. */
export function stageRightName({
  pipeline,
  stage,
}: {
  readonly pipeline: string;
  readonly stage: string;
}): string {
  return `${pipeline}.${stage}`;
}

/** An API server rule for an object with an immutable spec. */
export const immutableSpec = {
  "x-kubernetes-validations": [
    { rule: "self == oldSelf", message: "is immutable: delete the object and create another one" },
  ],
};

/** Label of the admission policy that validates Approvals, and of its binding: Pipelines watch both. */
export const APPROVAL_POLICY = { key: "fairlead.dev/policy", value: "approvals" } as const;
