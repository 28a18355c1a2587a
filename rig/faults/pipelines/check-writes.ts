import type { PromotionRecord, PromotionSpec } from "../../../crds/promotion.ts";
import type { AcceptedWrite } from "./accepted-writes.ts";
import { type StageName, stageNames } from "./points.ts";
import type { Contents } from "./pushed-contents.ts";

export interface CheckWritesInput {
  /** The writes, in order. */
  readonly writes: readonly AcceptedWrite[];
  /** The content of every commit for each stage. */
  readonly commits: ReadonlyMap<string, Contents>;
  /** Digests that users approved for prod, by name of the Approval. */
  readonly approved: ReadonlyMap<string, string>;
  /** The soak of staging. */
  readonly soakMs: number;
}

/** A Promotion that the operator created. */
interface Started {
  readonly write: AcceptedWrite;
  readonly name: string;
  readonly spec: PromotionSpec & { readonly digest: string };
}

/** An outcome that the operator recorded. */
interface Outcome {
  readonly write: AcceptedWrite;
  readonly started: Started;
  readonly status: Partial<PromotionRecord>;
}

/** Actions that the operator did twice, too early, or not at all. Computed only from its writes, not from its statuses. Pure. */
export function checkWrites(input: CheckWritesInput): readonly string[] {
  const ours = input.writes.filter(({ isByOperator }) => isByOperator);
  const started = ours.flatMap((write): readonly Started[] => {
    if (write.resource !== "promotions" || !write.isCreation) return [];
    const { spec } = write.body as { readonly spec: Started["spec"] };
    return [{ write, name: write.name, spec }];
  });
  const outcomes = ours.flatMap((write): readonly Outcome[] => {
    const one = started.find(({ name }) => name === write.name);
    if (write.resource !== "promotions/status" || one === undefined) return [];
    const { status } = write.body as { readonly status?: Partial<PromotionRecord> };
    return [{ write, started: one, status: status ?? {} }];
  });
  const jobs = ours.filter(({ resource, isCreation }) => resource === "jobs" && isCreation);
  return [
    ...findDoubled(
      started,
      ({ spec }) => `Promotion of ${spec.stage} to digest ${spec.digest}, attempt ${spec.attempt}`,
    ),
    ...findDoubled(started, ({ spec }) => `Promotion ${spec.number} of ${spec.stage}`),
    ...findDoubled(jobs, ({ name }) => `Job ${name}`),
    ...findDoubled(jobs, (job) => `Job of the Promotion with uid ${ownerOf(job)}`),
    ...outcomes.flatMap(findFailure),
    ...started.flatMap((one) => findSkipped(one, { ...input, outcomes })),
    ...ours.flatMap((write) => findUnexplainedPin(write, started)),
    ...outcomes.flatMap((outcome) => findUnproven(outcome, { ...input, jobs, ours })),
  ];
}

function findDoubled<T>(all: readonly T[], what: (one: T) => string): readonly string[] {
  return [...Map.groupBy(all, what)].flatMap(([name, { length }]) =>
    length > 1 ? [`${name} was created ${length} times`] : [],
  );
}

/** A failed Promotion is a violation, because nothing in these fixtures can fail without a cause. */
function findFailure({ started, status }: Outcome): readonly string[] {
  return status.failedAt === undefined ? [] : [`Promotion ${started.name} failed: ${status.message}`];
}

/** Gates that were closed when a Promotion was created. */
function findSkipped(
  { write, name, spec }: Started,
  { writes, commits, approved, outcomes }: CheckWritesInput & { readonly outcomes: readonly Outcome[] },
): readonly string[] {
  const isBefore = (other: AcceptedWrite): boolean => other.at < write.at;
  const byUser = writes.filter((one) => !one.isByOperator && one.isCreation && isBefore(one));
  const { request } = spec;
  if (request !== undefined) {
    const isRequested = byUser.some((one) => one.resource === "promotions" && one.name === request.name);
    return isRequested ? [] : [`Promotion ${name} was created before its request ${request.name}`];
  }
  const found: string[] = [];
  const before = stageNames[stageNames.indexOf(spec.stage as StageName) - 1];
  const wanted = before && commits.get(spec.revision)?.[before];
  const isProven = outcomes.some(
    ({ write: pass, started, status }) =>
      started.spec.stage === before &&
      wanted !== undefined &&
      commits.get(started.spec.revision)?.[before] === wanted &&
      status.passedAt !== undefined &&
      isBefore(pass),
  );
  if (before !== undefined && !isProven)
    found.push(`Promotion ${name} was created before ${before} had passed`);
  const isApproved = byUser.some(
    (one) => one.resource === "approvals" && approved.get(one.name) === spec.digest,
  );
  if (spec.stage === "prod" && !isApproved) found.push(`Promotion ${name} was created without an Approval`);
  return found;
}

interface Pin {
  readonly revision?: string;
  readonly digest?: string;
}

function pinIn({ resource, body }: AcceptedWrite): Pin | undefined {
  if (resource !== "releases") return undefined;
  const { revision, digest } = (body as { readonly spec?: Pin } | undefined)?.spec ?? {};
  return revision === undefined ? undefined : { revision, ...(digest !== undefined && { digest }) };
}

function findUnexplainedPin(write: AcceptedWrite, started: readonly Started[]): readonly string[] {
  const pin = pinIn(write);
  if (pin === undefined) return [];
  const isExplained = started.some(
    ({ write: creation, spec }) =>
      spec.stage === write.name &&
      spec.revision === pin.revision &&
      spec.releases?.some(({ digest }) => digest === pin.digest) === true &&
      creation.at < write.at,
  );
  return isExplained ? [] : [`Release ${write.name} was pinned to ${pin.revision} before a Promotion to it`];
}

/** The conditions that a stage had not met when it passed: its soak, its verification. */
function findUnproven(
  { write, started: { name, write: creation, spec }, status }: Outcome,
  {
    soakMs,
    jobs,
    ours,
  }: CheckWritesInput & { readonly jobs: readonly AcceptedWrite[]; readonly ours: readonly AcceptedWrite[] },
): readonly string[] {
  if (spec.stage !== "staging" || status.passedAt === undefined || spec.provenBy !== undefined) return [];
  const found: string[] = [];
  const statusWrites = ours.filter(
    (one) => one.resource === "promotions/status" && one.name === name && one.at <= write.at,
  );
  const isVerified = statusWrites.some(({ body }) =>
    (body as { readonly status?: Outcome["status"] }).status?.verifications?.some(
      ({ outcome, job }) => outcome === "Passed" && jobs.some((one) => one.name === job && one.at < write.at),
    ),
  );
  if (!isVerified) found.push(`Promotion ${name} passed without its Job`);
  const pinned = ours.find(
    (one) =>
      one.name === "staging" &&
      one.at > creation.at &&
      one.at < write.at &&
      pinIn(one)?.revision === spec.revision,
  );
  // Instants are rounded to seconds.
  const tookMs = pinned && Date.parse(status.passedAt) - Date.parse(pinned.at);
  const isRepeated = (spec.attempt ?? 1) > 1;
  if (tookMs !== undefined && !isRepeated && tookMs < soakMs - 1_000)
    found.push(`Promotion ${name} passed ${tookMs} ms after its pin`);
  return found;
}

function ownerOf({ name, body }: AcceptedWrite): string {
  const { metadata } = body as {
    readonly metadata?: { readonly ownerReferences?: readonly { readonly uid: string }[] };
  };
  return metadata?.ownerReferences?.[0]?.uid ?? name;
}
