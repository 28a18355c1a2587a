import { toMilliseconds } from "../../crds/duration.ts";
import { jobName } from "../../crds/names.ts";
import type { LiveObject } from "../../crds/object.ts";
import type { Verification } from "../../crds/pipeline-stage.ts";
import type { PromotionRecord, VerificationOutcome } from "../../crds/promotion.ts";
import { shortDigest } from "../../crds/stage-digest.ts";

const defaultTimeout = "10m";

/**
 * Name of the Job of a verification. A Promotion is one attempt at one digest, so its name and uid, and the Job's
 * template, distinguish all attempts. Pure.
 */
export function verificationJobName(
  { name, uid = "" }: { readonly name: string; readonly uid?: string | undefined },
  verification: Verification,
): string {
  const text = JSON.stringify([uid, verification.timeout, verification.template]);
  return jobName(`${name}-${verification.name}-${shortDigest(text)}`);
}

/** Composes the Job of a verification. The Job fails at the timeout even if its Pod cannot start. Pure. */
export function verificationJob({ template, timeout = defaultTimeout }: Verification) {
  const { labels, annotations } = (template.metadata ?? {}) as {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  const activeDeadlineSeconds = Math.ceil(toMilliseconds(timeout) / 1_000);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: { activeDeadlineSeconds, ...template.spec },
  };
}

interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Result of a Job; undefined: it has not ended. Pure. */
export function outcomeOfJob(
  job: LiveObject | undefined,
): Omit<VerificationOutcome, "name" | "job"> | undefined {
  const { conditions = [] } = (job?.["status"] ?? {}) as { readonly conditions?: readonly JobCondition[] };
  const end = conditions.find(
    ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
  );
  if (end?.lastTransitionTime === undefined) return undefined;
  const { lastTransitionTime: finishedAt, message } = end;
  if (end.type === "Complete") return { outcome: "Passed", finishedAt };
  return { outcome: "Failed", finishedAt, ...(message !== undefined && { message }) };
}

/**
 * The current outcomes of verifications: the recorded ones, and those of Jobs that have ended. The record keeps the outcome
 * of a deleted Job. Jobs of other attempts or templates do not count. Pure.
 */
export function foldVerifications(
  previous: PromotionRecord["verifications"],
  jobs: readonly {
    readonly verification: Verification;
    readonly name: string;
    readonly live: LiveObject | undefined;
  }[],
): PromotionRecord["verifications"] {
  const known = previous ?? [];
  const added = jobs.flatMap(({ verification, name: job, live }): readonly VerificationOutcome[] => {
    if (known.some((one) => one.job === job)) return [];
    const outcome = outcomeOfJob(live);
    return outcome === undefined ? [] : [{ name: verification.name, job, ...outcome }];
  });
  return added.length === 0 ? previous : [...known, ...added];
}
