import type { PromotionSpec } from "../../crds/promotion.ts";
import { promotionName } from "./promotion-names.ts";
import type { At } from "./startable.ts";
import { candidateOf, type StageTarget } from "./world.ts";

/** A Promotion to create. */
export interface NewPromotion {
  readonly name: string;
  readonly spec: PromotionSpec & { readonly digest: string };
}

/** Why a Promotion is created, and the gates that it may skip. */
type PromotionOrigin = Pick<
  PromotionSpec,
  "by" | "reason" | "hold" | "bypass" | "approvals" | "request" | "rollback"
>;

/** Composes the Promotion for the target that a stage starts now. Pure. */
export function newPromotion(
  { revision, digest, releases }: StageTarget,
  { stage, world, history }: At,
  more: PromotionOrigin,
): NewPromotion {
  const { current } = history;
  const taken = world.takenNames;
  let number = history.nextNumber;
  const nameOf = (): string => promotionName({ pipeline: world.name, stage: stage.name, number });
  while (taken.has(nameOf())) number++;
  const attempts = history.started.filter(({ spec }) => spec.digest === digest);
  const earlier = history.started.findLast(({ spec }) => spec.revision === revision);
  const evidence = history.evidenceOf(digest);
  // A user who requests the digest that runs and has passed wants it to be proven again.
  const isRepeated =
    more.request !== undefined && current?.spec.digest === digest && current.passedAt !== undefined;
  const candidate = candidateOf(world.record, revision);
  const hasPassed = history.started.some(
    ({ spec, passedAt }) => spec.revision === revision && passedAt !== undefined,
  );
  const { failedSince } = history;
  const provenBy = evidence.state === "Passed" && !isRepeated ? evidence.promotion?.name : undefined;
  return {
    name: nameOf(),
    spec: {
      pipeline: world.name,
      stage: stage.name,
      revision,
      digest,
      releases: releases.map(({ name, namespace, digest: own }) => ({ name, namespace, digest: own })),
      number,
      candidate: candidate?.number ?? earlier?.spec.candidate ?? 0,
      attempt: attempts.length + 1,
      ...(provenBy !== undefined && { provenBy }),
      ...(candidate !== undefined &&
        candidate.committedAt !== "" &&
        !hasPassed && { committedAt: candidate.committedAt }),
      ...(failedSince !== undefined && { failedSince }),
      ...more,
    },
  };
}
