import { type NextPlan, releaseAnnotations } from "../../../crds/release.ts";
import type { ComparedManifests } from "../../../crds/stage-differences.ts";
import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import type { Cluster } from "../../ports.ts";
import { homeOf } from "./comparable-fields.ts";
import { compareManifests } from "./compare-manifests.ts";
import { findManifestRefusal } from "./manifest-refusal.ts";
import { countMutableImages } from "./mutable-images.ts";
import type { PlannedRelease } from "./next-source.ts";

/** A request to plan a commit. */
export interface NextRequest {
  /** The Release, with the inventory of the deployed manifests. */
  readonly release: PlannedRelease;
  readonly revision: string;
  /** Digest of the deployed manifests; undefined: nothing is deployed. */
  readonly deployedDigest: string | undefined;
  /** Uses the permissions of the Release. */
  readonly acting: Cluster;
}

/** The part of a plan that is computed from the manifests, without requests. */
export interface NextFacts {
  readonly prepared: DesiredSet;
  readonly limits: PlannedRelease["limits"];
  /** Why policies do not allow the manifests. */
  readonly refusal: string | undefined;
  readonly mutableImages: number;
  /** The result for `spec.next.compare`; undefined: there is no such field. */
  readonly compared: ComparedManifests[] | undefined;
  readonly comparison: string;
}

/** Computes the facts. Returns the known ones while manifests, limits and comparisons are the same. Pure. */
export function nextFacts(
  { limits, who, resource }: Pick<PlannedRelease, "limits" | "who" | "resource">,
  prepared: DesiredSet,
  known: NextFacts | undefined,
): NextFacts {
  const { compare } = resource.spec.next ?? {};
  const home = homeOf(resource);
  const comparison = compare === undefined ? "" : toCanonicalJson({ home, compare });
  const isSame = known?.prepared === prepared && known.limits === limits;
  if (isSame && known.comparison === comparison) return known;
  return {
    ...(isSame
      ? known
      : {
          prepared,
          limits,
          refusal: findManifestRefusal({ prepared, limits, actsAsOperator: who === undefined }),
          mutableImages: countMutableImages(prepared.objects.map(({ manifest }) => manifest)),
        }),
    compared: compare && compareManifests(prepared, { home, compare }),
    comparison,
  };
}

/** Replaces the comparisons of a plan by the currently requested ones. Pure. */
export function withCompared(
  { compared: _, ...plan }: NextPlan,
  facts: Pick<NextFacts, "prepared" | "compared"> | undefined,
): NextPlan {
  const isOfThese = facts?.compared !== undefined && facts.prepared.digest === plan.digest;
  return isOfThese ? { ...plan, compared: facts.compared } : plan;
}

/** Digest of all inputs of a plan, except for the live objects. Pure. */
export function inputsOf({ release, revision, deployedDigest }: NextRequest, { digest }: DesiredSet): string {
  const { spec, status, metadata } = release.resource;
  return digestOf(
    toCanonicalJson({
      revision,
      digest,
      deployedDigest,
      who: release.who,
      prune: spec.prune,
      approved: metadata.annotations?.[releaseAnnotations.approvePrune],
      inventory: status?.inventory,
    }),
  );
}
