import { instantMs } from "../../crds/kind-context.ts";
import type { PromotionRecord } from "../../crds/promotion.ts";
import { latest, type ReleaseState } from "./release-state.ts";
import type { ProofRules } from "./stage-rules.ts";

/** The state of a Release of a Promotion. */
export interface Assessed {
  readonly key: string;
  readonly state: ReleaseState;
}

/** A verification that the rules require. */
export interface VerificationState {
  readonly name: string;
  readonly outcome: NonNullable<PromotionRecord["verifications"]>[number] | undefined;
}

interface PatienceInput {
  readonly createdAt: string;
  readonly rules: Pick<ProofRules, "timeoutMs">;
  readonly lateSince?: string | undefined;
  readonly assessed: readonly Assessed[];
}

/** A condition that must be true before the timeout. */
interface Patience {
  readonly what: string;
  /** Start of the timeout. */
  readonly from: string;
  /** When it became true; undefined: it is not. */
  readonly metAt: string | undefined;
  /** When it became false again; undefined: not known, or it has not. */
  readonly lostAt?: string | undefined;
}

/** A condition that was not true at its deadline. */
type Unmet = Patience & { readonly at: string };

/** The condition that was, or will be, the first not to be true at its deadline; undefined: all are true. Pure. */
export function findLate(
  input: PatienceInput & { readonly outcomes: readonly VerificationState[] },
): Unmet | undefined {
  const conditions = [...patienceForReleases(input), ...patienceForVerifications(input)];
  return unmet(conditions, input).toSorted((a, b) => instantMs(a.at) - instantMs(b.at))[0];
}

/**
 * When a Release was first not healthy again after the timeout had passed, such as while a Freeze stops the rollout. It is recorded,
 * because the Release does not report it after it has become healthy, or if its health alternates. A later unhealthy period
 * replaces it only after the timeout that it starts. Pure.
 */
export function findLateSince(input: PatienceInput): string | undefined {
  const late = unmet(patienceForReleases(input), input);
  const lost = late.flatMap((one) => (isLost(one) ? [one.lostAt ?? one.at] : []));
  const [first] = lost.toSorted((a, b) => instantMs(a) - instantMs(b));
  if (first === undefined) return input.lateSince;
  // The Promotion had failed before.
  const hasFailed = late.some((one) => !isLost(one) && instantMs(one.at) <= instantMs(first));
  return hasFailed ? input.lateSince : first;
}

/** Whether a condition was true at its deadline, and became false after it. */
function isLost({ lostAt, at }: Unmet): boolean {
  return lostAt !== undefined && instantMs(lostAt) > instantMs(at);
}

/** The conditions that are not true at their deadlines, or were not. */
function unmet(
  conditions: readonly Patience[],
  { createdAt, rules }: Pick<PatienceInput, "createdAt" | "rules">,
): readonly Unmet[] {
  return (
    conditions
      .map((one) => ({ ...one, at: afterMs(latest(createdAt, one.from), rules.timeoutMs) }))
      // A condition that became true after its deadline is late, even if the operator did not run at the deadline.
      .filter(({ at, metAt }) => metAt === undefined || instantMs(metAt) > instantMs(at))
  );
}

/**
 * The timeout starts when the last Release so far was deployed, so that an unhealthy period late in a rollout of many batches
 * leaves time to recover; or when a Release became unhealthy after that timeout. It does not apply to a Release that is still
 * being deployed, or waits for a remote or a user.
 */
function patienceForReleases({ assessed, lateSince }: PatienceInput): readonly Patience[] {
  const deployments = assessed.flatMap(({ state }) => ("since" in state ? [state.since] : []));
  return assessed.flatMap(({ key, state }): readonly Patience[] => {
    if (state.state === "Deploying" || state.state === "Failed") return [];
    const what = describeLate({ key, state });
    if (state.state === "Refused")
      return state.at === undefined ? [] : [{ what, from: state.at, metAt: undefined }];
    // A soaking Release whose soak time is over counts as proven, even if its spec has changed since then, such as for another plan.
    const metAt = state.state === "Proven" ? state.at : state.state === "Soaking" ? state.until : undefined;
    const lostAt = state.state === "Unhealthy" ? state.unhealthySince : undefined;
    const from = latest(state.since, ...deployments, ...(lateSince === undefined ? [] : [lateSince]));
    return [{ what, from, metAt, lostAt }];
  });
}

function describeLate({ key, state }: Assessed): string {
  return `Release "${key}" ${"message" in state ? state.message : "was not healthy for long enough"}`;
}

/** The timeout of verifications starts when the last Release was proven. */
function patienceForVerifications({
  assessed,
  outcomes,
}: Pick<PatienceInput, "assessed"> & {
  readonly outcomes: readonly VerificationState[];
}): readonly Patience[] {
  const proven = assessed.flatMap(({ state }) => (state.state === "Proven" ? [state.at] : []));
  const [first, ...others] = proven;
  if (outcomes.length === 0 || first === undefined || proven.length < assessed.length) return [];
  const from = latest(first, ...others);
  return outcomes.map(({ name, outcome }) => {
    return { what: `verification "${name}" has not finished`, from, metAt: outcome?.finishedAt };
  });
}

/** An instant some time after another one, RFC 3339. Pure. */
export function afterMs(instant: string, ms: number): string {
  return new Date(instantMs(instant) + ms).toISOString().replace(/\.000Z$/, "Z");
}
