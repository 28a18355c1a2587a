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

/** A commit that is to be planned. */
export interface NextRequest {
  /** Its inventory is that of what is deployed now. */
  readonly release: PlannedRelease;
  readonly revision: string;
  /** Digest of what is deployed; undefined: nothing is. */
  readonly deployedDigest: string | undefined;
  /** With the rights of the Release. */
  readonly acting: Cluster;
}

/** What is known of a set of manifests without asking anybody. */
export interface NextFacts {
  readonly prepared: DesiredSet;
  readonly limits: PlannedRelease["limits"];
  /** Why the platform does not allow them. */
  readonly refusal: string | undefined;
  readonly mutableImages: number;
  /** What `spec.next.compare` asks for; undefined: it asks for nothing. */
  readonly compared: ComparedManifests[] | undefined;
  readonly comparison: string;
}

/** What is known of manifests, from memory as long as manifests, limits and what they are compared by are the same. Pure. */
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

/** A plan with what its manifests are compared by now, and nothing that was asked for earlier. Pure. */
export function withCompared(
  { compared: _, ...plan }: NextPlan,
  facts: Pick<NextFacts, "prepared" | "compared"> | undefined,
): NextPlan {
  const isOfThese = facts?.compared !== undefined && facts.prepared.digest === plan.digest;
  return isOfThese ? { ...plan, compared: facts.compared } : plan;
}

/** Digest of everything that decides what a plan says, apart from changes that others make to the objects. Pure. */
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
