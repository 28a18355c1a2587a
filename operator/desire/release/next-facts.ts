import { releaseAnnotations } from "../../../crds/release.ts";
import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import type { Cluster } from "../../ports.ts";
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
}

/** What is known of manifests, from memory as long as manifests and limits are the same. Pure. */
export function nextFacts(
  { limits, who }: Pick<PlannedRelease, "limits" | "who">,
  prepared: DesiredSet,
  known: NextFacts | undefined,
): NextFacts {
  if (known?.prepared === prepared && known.limits === limits) return known;
  return {
    prepared,
    limits,
    refusal: findManifestRefusal({ prepared, limits, actsAsOperator: who === undefined }),
    mutableImages: countMutableImages(prepared.objects.map(({ manifest }) => manifest)),
  };
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
