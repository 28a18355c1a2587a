import { toMilliseconds } from "../../crds/duration.ts";
import type { KindClock } from "../../crds/kind-context.ts";
import type { Verification } from "../../crds/pipeline-stage.ts";
import type { PromotionRecord, PromotionSpec } from "../../crds/promotion.ts";
import { type Assessed, afterMs, findLate, findLateSince, type VerificationState } from "./patience.ts";
import { assessRelease, latest, type ReleaseState } from "./release-state.ts";
import type { ReleaseView } from "./release-view.ts";
import type { ProofRules } from "./stage-rules.ts";

export interface ProofInput {
  readonly spec: PromotionSpec;
  readonly createdAt: string;
  readonly rules: ProofRules;
  /** The Releases of the stage, by key. */
  readonly releases: ReadonlyMap<string, ReleaseView>;
  readonly verifications: PromotionRecord["verifications"];
  readonly lateSince?: PromotionRecord["lateSince"];
  /** Name of the Job of a verification. */
  readonly jobOf: (verification: Verification) => string;
  readonly clock: KindClock;
}

/** The result of a Promotion, or why it has none yet. */
export type Proof = Result & {
  /** The field to record. */
  readonly lateSince?: string;
};

type Result =
  | { readonly state: "Passed"; readonly at: string }
  | {
      readonly state: "Failed";
      readonly at: string;
      readonly reason: NonNullable<PromotionRecord["reason"]>;
      readonly message: string;
    }
  | {
      readonly state: "Proving";
      readonly message: string;
      /** Earliest time at which it can pass; undefined: it waits for an event first. */
      readonly until: string | undefined;
      /** Since when a Release prevents the Promotion from passing; undefined: only time or verifications are missing. */
      readonly obstacleSince: string | undefined;
    };

/**
 * Whether a stage has proven the target of a Promotion. All instants in the result are computed from those that Releases
 * and Jobs report, so they do not depend on the time of the call. Pure.
 */
export function assessProof(input: ProofInput): Proof {
  const { clock, createdAt, rules } = input;
  const assessed = assessAll(input);
  const lateSince = findLateSince({ ...input, assessed });
  const late = lateSince === undefined ? {} : { lateSince };
  const failure = findFailure({ ...input, ...late }, assessed);
  if (failure !== undefined) return { state: "Failed", ...failure, ...late };
  const provenAt = assessed.map(({ state }) => (state.state === "Proven" ? state.at : undefined));
  const outcomes = outcomesOf(input);
  const isWhole = assessed.length > 0 && provenAt.every((at) => at !== undefined);
  const isVerified = outcomes.every(({ outcome }) => outcome?.outcome === "Passed");
  if (isWhole && isVerified) {
    const at = latest(
      createdAt,
      ...provenAt.filter((one) => one !== undefined),
      ...outcomes.map(({ outcome }) => outcome?.finishedAt ?? createdAt),
    );
    if (clock.reached(at)) return { state: "Passed", at, ...late };
  }
  return { state: "Proving", ...describe(assessed, { rules, outcomes, createdAt }), ...late };
}

/** Whether all Releases of a Promotion are deployed and healthy. Pure. */
export function areHealthy(input: Pick<ProofInput, "spec" | "rules" | "releases" | "clock">): boolean {
  return areAllHealthy(assessAll(input));
}

function areAllHealthy(assessed: readonly Assessed[]): boolean {
  return (
    assessed.length > 0 &&
    assessed.every(
      ({ state }) => state.state === "Proven" || (state.state === "Soaking" && state.isDescribed),
    )
  );
}

function assessAll({
  spec,
  rules: { soak },
  releases,
  clock,
}: Pick<ProofInput, "spec" | "rules" | "releases" | "clock">): readonly Assessed[] {
  const { revision, releases: targets = [] } = spec;
  return targets.map(({ namespace, name, digest }) => {
    const key = `${namespace}/${name}`;
    return { key, state: assessRelease(releases.get(key), { revision, digest, soak }, clock) };
  });
}

/** The outcomes of the Jobs that the current rules require. */
function outcomesOf({ rules, verifications = [], jobOf }: ProofInput): readonly VerificationState[] {
  return rules.verify.map((verification) => ({
    name: verification.name,
    outcome: verifications.find(({ job }) => job === jobOf(verification)),
  }));
}

/** The failure of the Promotion; undefined: it has not failed. */
function findFailure(
  input: ProofInput,
  assessed: readonly Assessed[],
): Omit<Extract<Proof, { readonly state: "Failed" }>, "state"> | undefined {
  const { createdAt, clock } = input;
  const failed = outcomesOf(input).find(({ outcome }) => outcome?.outcome === "Failed");
  if (failed?.outcome !== undefined) {
    const { finishedAt, message = "its Job failed", job } = failed.outcome;
    return {
      at: finishedAt,
      reason: "VerificationFailed",
      message: `verification "${failed.name}" failed (Job "${job}"): ${message}`,
    };
  }
  for (const { key, state } of assessed) {
    if (state.state === "Failed")
      return {
        at: latest(createdAt, state.at),
        reason: "ReleaseFailed",
        message: `Release "${key}" ${state.message}`,
      };
  }
  const late = findLate({ ...input, assessed, outcomes: outcomesOf(input) });
  if (late === undefined || !clock.reached(late.at)) return undefined;
  return { at: late.at, reason: "TimedOut", message: `not proven within the timeout: ${late.what}` };
}

function describe(
  assessed: readonly Assessed[],
  {
    rules,
    outcomes,
    createdAt,
  }: {
    readonly rules: ProofRules;
    readonly outcomes: readonly VerificationState[];
    readonly createdAt: string;
  },
): Omit<Extract<Proof, { readonly state: "Proving" }>, "state"> {
  if (assessed.length === 0)
    return { message: "the Promotion has no Releases", until: undefined, obstacleSince: createdAt };
  const obstacle = assessed.find(({ state }) => "message" in state);
  if (obstacle !== undefined && "message" in obstacle.state)
    return {
      message: `Release "${obstacle.key}" ${obstacle.state.message}`,
      until: undefined,
      obstacleSince: obstacleSince(obstacle.state, assessed, { soak: rules.soak, createdAt }),
    };
  const open = outcomes.filter(({ outcome }) => outcome === undefined).map(({ name }) => `"${name}"`);
  const ends = assessed.flatMap(({ state }) => (state.state === "Soaking" ? [state.until] : []));
  const [end] = ends;
  const until = end === undefined ? undefined : latest(end, ...ends);
  const soaking = until === undefined ? [] : [`soaking for ${rules.soak}, until ${until}`];
  const running = open.length > 0 ? [`verification ${open.join(", ")} has not finished`] : [];
  const parts = [...soaking, ...running];
  return {
    message: parts.length > 0 ? parts.join("; ") : "all Releases are proven",
    until: open.length > 0 ? undefined : until,
    obstacleSince: undefined,
  };
}

/** Since when a Release prevents the Promotion from passing, but not before the last time that another one became healthy. */
function obstacleSince(
  obstacle: ReleaseState,
  assessed: readonly Assessed[],
  { soak, createdAt }: { readonly soak: string; readonly createdAt: string },
): string {
  const own = "at" in obstacle ? obstacle.at : "since" in obstacle ? obstacle.since : undefined;
  const progress = assessed.flatMap(({ state }) => {
    if (state.state === "Proven") return [state.at];
    return state.state === "Soaking" ? [afterMs(state.until, -toMilliseconds(soak))] : [];
  });
  return latest(createdAt, ...(own === undefined ? [] : [own]), ...progress);
}
