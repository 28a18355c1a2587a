import type { LiveObject } from "../../crds/object.ts";
import { controllerOf } from "../../crds/object.ts";
import type { PromotionRecord, PromotionResource, PromotionSpec } from "../../crds/promotion.ts";
import { compare, inOrder, numberOf } from "./promotion-order.ts";
import { isReplacedBy } from "./request-order.ts";
import type { Stage } from "./shape.ts";

/** The fields of a Promotion that a Pipeline reads. */
export interface PromotionView {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly spec: PromotionSpec;
  /** Whether the Pipeline created it. Otherwise it is a user's request. */
  readonly isOurs: boolean;
  readonly passedAt?: string;
  readonly failedAt?: string;
  readonly lateSince?: string;
  readonly message?: string;
  readonly verifications?: PromotionRecord["verifications"];
  readonly startedAs?: string;
  readonly supersededBy?: string;
}

/** Reads a Promotion. Pure. */
export function viewPromotion(live: LiveObject, pipeline: { readonly uid: string }): PromotionView {
  const {
    metadata,
    spec,
    status = {} as NonNullable<PromotionResource["status"]>,
  } = live as PromotionResource;
  const { passedAt, failedAt, lateSince, message, verifications, startedAs, supersededBy } = status;
  return {
    name: metadata.name,
    uid: metadata.uid,
    createdAt: metadata.creationTimestamp ?? "",
    spec,
    isOurs: controllerOf(live)?.uid === pipeline.uid,
    ...(passedAt !== undefined && { passedAt }),
    ...(failedAt !== undefined && { failedAt }),
    ...(lateSince !== undefined && { lateSince }),
    ...(message !== undefined && { message }),
    ...(verifications !== undefined && { verifications }),
    ...(startedAs !== undefined && { startedAs }),
    ...(supersededBy !== undefined && { supersededBy }),
  };
}

/** A Promotion that the Pipeline created. Its spec always has a digest. */
export type StartedPromotion = PromotionView & {
  readonly spec: PromotionSpec & { readonly digest: string };
};

/** The result of a digest in a stage. */
export interface Evidence {
  /** `Proving`: an attempt is in progress, and the last outcome, if any, is a failure. */
  readonly state: "Unknown" | "Proving" | "Passed" | "Failed";
  readonly promotion?: StartedPromotion;
}

/** Maximum number of superseded Promotions that are counted. */
const mostReplaced = 12;

/** The Promotions of a stage, and their results. */
export class StageHistory {
  /** The Promotions that the Pipeline created, the oldest first. */
  readonly started: readonly StartedPromotion[];
  /** The requests of users, the oldest first. */
  readonly requests: readonly PromotionView[];

  /**
   * The last Promotion: the target of the stage. A superseded Promotion never becomes the target again, even if its
   * successor is lost.
   */
  readonly current: StartedPromotion | undefined;
  /** The last Promotion that is not an automatic rollback. */
  readonly forward: StartedPromotion | undefined;
  readonly #name: string;
  /** Without superseded Promotions at the end, whose successors are lost. */
  readonly #standing: readonly StartedPromotion[];
  /** Evidence by digest, computed once. */
  readonly #evidence = new Map<string, Evidence>();

  constructor(promotions: readonly PromotionView[], { name, names }: Pick<Stage, "name" | "names">) {
    this.#name = name;
    const ofStage = promotions.filter(({ spec }) => names.has(spec.stage));
    this.started = inOrder(
      ofStage.filter((one): one is StartedPromotion => one.isOurs && one.spec.digest !== undefined),
    );
    this.requests = ofStage
      // A Promotion with a number was created by a deleted Pipeline of the same name.
      .filter(({ isOurs, spec }) => !isOurs && spec.number === undefined)
      .toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.name, b.name));
    const last = this.started.findLastIndex((one) => one.supersededBy === undefined || !isOpen(one));
    this.#standing = this.started.slice(0, last + 1);
    this.current = this.#standing.at(-1);
    this.forward = this.#standing.findLast(({ spec }) => spec.rollback !== true);
  }

  /** The result of a digest: the last outcome of its attempts. */
  evidenceOf(digest: string): Evidence {
    return this.#evidence.getOrInsertComputed(digest, () => this.#findEvidence(digest));
  }

  #findEvidence(digest: string): Evidence {
    const attempts = this.started.filter(({ spec }) => spec.digest === digest);
    const finished = attempts.findLast((one) => !isOpen(one));
    const last = attempts.at(-1);
    if (last === undefined) return { state: "Unknown" };
    if (finished === undefined) return { state: "Proving", promotion: last };
    if (finished.passedAt !== undefined) return { state: "Passed", promotion: finished };
    const isUnderway = isOpen(last) && last.supersededBy === undefined;
    return { state: isUnderway ? "Proving" : "Failed", promotion: isUnderway ? last : finished };
  }

  /**
   * Whether a candidate has passed the stage with a digest. The digest must have passed, and the stage must run it now, or
   * have run it when the candidate was the newest available one.
   */
  hasPassed(candidate: number, digest: string): boolean {
    if (this.evidenceOf(digest).state !== "Passed") return false;
    const { current } = this;
    if (current?.spec.digest === digest && current.passedAt !== undefined) return true;
    if (
      this.started.some(
        (one) => one.spec.digest === digest && one.passedAt !== undefined && candidateOf(one) >= candidate,
      )
    )
      return true;
    return this.#inForceFor(candidate)?.spec.digest === digest;
  }

  /** Whether the stage itself ran a candidate and proved it. */
  hasProven(candidate: number, digest: string): boolean {
    return this.started.some(
      (one) => one.spec.digest === digest && one.passedAt !== undefined && candidateOf(one) === candidate,
    );
  }

  /** The target of the stage at the time when a candidate was the newest available one. */
  #inForceFor(candidate: number): StartedPromotion | undefined {
    let found: StartedPromotion | undefined;
    for (const one of this.started) {
      const number = candidateOf(one);
      if (number <= candidate && number >= (found === undefined ? 0 : candidateOf(found))) found = one;
    }
    return found;
  }

  /**
   * Number of the candidate that the stage has reached. Only later candidates can start next. A user's rollback lowers it
   * only with `hold`; an automatic rollback never lowers it.
   */
  get position(): number {
    let reached = 0;
    for (const { spec } of this.#standing.toReversed()) {
      if (spec.rollback === true) continue;
      reached = Math.max(reached, spec.candidate ?? 0);
      if (spec.hold === true && reached > 0) break;
    }
    return reached;
  }

  /** The target of a rollback: the last digest that passed, other than that of the last Promotion. */
  get lastPassed(): StartedPromotion | undefined {
    const failed = this.current?.spec.digest;
    return this.started.findLast(
      (one) =>
        one.passedAt !== undefined &&
        one.spec.digest !== failed &&
        this.evidenceOf(one.spec.digest).state === "Passed",
    );
  }

  /** The Promotions right before the current one that were superseded before they had an outcome. */
  get replaced(): readonly StartedPromotion[] {
    const earlier = this.#standing.slice(0, -1);
    const lastOutcome = earlier.findLastIndex((one) => !isOpen(one));
    return earlier.slice(lastOutcome + 1).slice(-mostReplaced);
  }

  /** When the stage has failed, unless a Promotion has passed it since then. */
  get failedSince(): string | undefined {
    const { current } = this;
    if (current === undefined || current.passedAt !== undefined) return undefined;
    return current.spec.failedSince ?? current.failedAt;
  }

  /**
   * The newest request, unless it or a later one was started or has an outcome. A request to an earlier name of the stage
   * does not count, because it was authorized for that name.
   */
  get openRequest(): PromotionView | undefined {
    return this.requests
      .slice(1 + this.requests.findLastIndex((one) => this.#isLost(one)))
      .findLast((one) => one.spec.stage === this.#name && isWaiting(one) && !this.#isReplaced(one));
  }

  /** Whether a request was started, or one that replaces it. */
  #isReplaced(request: PromotionView): boolean {
    return this.started.some(({ spec }) => spec.request !== undefined && isReplacedBy(request, spec.request));
  }

  /** Whether a request was started, and no Promotion shows this. The requests before it are not started any more. */
  #isLost(request: PromotionView): boolean {
    return !isWaiting(request) && !this.#isReplaced(request);
  }

  /** The request that holds the stage until the request is deleted, even if the Promotion started for it is lost. */
  get hold(): PromotionView | undefined {
    const { current } = this;
    if (current?.spec.hold === true)
      return this.requests.find(({ uid }) => uid === current.spec.request?.uid);
    const lost = this.requests.findLast((one) => this.#isLost(one));
    return lost?.spec.hold === true ? lost : undefined;
  }

  get nextNumber(): number {
    return 1 + Math.max(0, ...this.started.map(numberOf));
  }
}

/** Whether a Promotion has no outcome yet. Pure. */
export function isOpen({
  passedAt,
  failedAt,
}: {
  readonly passedAt?: string | undefined;
  readonly failedAt?: string | undefined;
}): boolean {
  return passedAt === undefined && failedAt === undefined;
}

/** Whether a request does not record that it was started. */
function isWaiting(request: PromotionView): boolean {
  return request.startedAs === undefined && isOpen(request);
}

function candidateOf({ spec }: PromotionView): number {
  return spec.candidate ?? 0;
}
