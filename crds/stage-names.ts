import * as z from "zod";
import { objectName } from "./release-source.ts";

/** Name of a Pipeline. */
export const pipelineName = objectName;

/** Name of a stage: without a dot, so that `pipeline.stage` names one stage of one Pipeline. */
export const stageName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** Digest of what a stage, or one of its Releases, is rendered to. */
export const stageDigest = z.string().regex(/^[0-9a-f]{32,64}$/);

/** Plural of the virtual resource on which RBAC grants the verbs of {@link stageVerbs}: no API serves it. */
export const VIRTUAL_STAGES = "stages";

/** Verbs on the virtual resource `stages`, whose objects are named by {@link stageRightName}. */
export const stageVerbs = {
  /** Create an Approval of the stage. */
  approve: "approve",
  /** Create a Promotion to the stage, or pin one of its Releases. */
  promote: "promote",
  /** Create a Promotion that skips gates, or weaken the rules of the stage. */
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

/** A rule of the API server for an object whose spec never changes. */
export const immutableSpec = {
  "x-kubernetes-validations": [
    { rule: "self == oldSelf", message: "is immutable: delete the object and create another one" },
  ],
};

/** Label of the admission policy that vouches for Approvals, and of its binding: Pipelines watch both. */
export const APPROVAL_POLICY = { key: "fairlead.dev/policy", value: "approvals" } as const;
