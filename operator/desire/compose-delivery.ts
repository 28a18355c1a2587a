import type { BoundKind, DeclaredKind } from "../../crds/binding.ts";
import { Release } from "../../crds/release.ts";
import type { ComposedRepository } from "../compose/compose-publisher.ts";
import { allowsLocalSources, sourceZoneOf } from "../compose/compose-source-zone.ts";
import type { KindController } from "../compose/controllers.ts";
import type { SharedParts } from "../compose/shared-parts.ts";
import type { ShapeOf } from "../engine/field-shape.ts";
import type { SourceZone } from "../git/source/compose-source-zone.ts";
import type { Cluster, EventRecorder, FolderClaim, Publisher, Reconcile } from "../ports.ts";
import type { Election } from "../runtime/election.ts";
import { createFolderClaims } from "../runtime/folder-claims.ts";
import type { KindStores } from "../runtime/kind-stores.ts";
import { trailersOf } from "./chart/added-trailers.ts";
import { PolicyLimits } from "./release/policy-limits.ts";
import type { OperatorRepository } from "./release/publish-target.ts";
import { isPublishedAt } from "./release/published-places.ts";
import { createReleaseController, type ReleaseControllerInput } from "./release/release-controller.ts";
import { releaseKind, releasePolicyKind } from "./release/release-kind.ts";
import { composeKindSources, type FollowKind } from "./source/compose-kind-sources.ts";

/** The kinds that an operator watches in addition to those of its program. Pure. */
export function kindsBeside({ releases }: Pick<SharedParts["config"], "releases">): readonly DeclaredKind[] {
  return releases ? [releaseKind, releasePolicyKind] : [];
}

/** Finds the resource to which a folder in the operator's own location belongs. */
export function createOwnClaims(
  { config, kinds }: Pick<SharedParts, "config" | "kinds">,
  stores: KindStores,
): (folder: string) => FolderClaim {
  const repository = repositoryOf(config);
  return createFolderClaims({
    kinds: [...kinds.map(({ definition }) => definition), ...(config.releases ? [Release] : [])],
    stores,
    isHere: (resource) => isPublishedAt(resource, repository, repository),
  });
}

/** The operator's own location in git. It is not used without a repository. Pure. */
export function repositoryOf(
  config: Pick<SharedParts["config"], "repository" | "repositoryBranch" | "repositoryPath">,
): OperatorRepository {
  return {
    url: config.repository ?? "",
    branch: config.repositoryBranch,
    root: config.repositoryPath,
  };
}

export interface DeliveryInput {
  readonly shared: SharedParts;
  readonly stores: KindStores;
  readonly shapeOf: ShapeOf;
  readonly cluster: Cluster;
  readonly election: Election;
  readonly events: EventRecorder;
  /** Seals the first records of Releases. */
  readonly recordKey: ReleaseControllerInput["recordKey"];
  /** Undefined: the operator does not publish. */
  readonly repository: (ComposedRepository & { readonly own: Publisher }) | undefined;
  readonly traceReconcile?: ((controller: string, reconcile: Reconcile) => Reconcile) | undefined;
}

/** The parts of an operator that need git sources. */
export interface Delivery {
  readonly sourceZone: SourceZone;
  /** Follows the sources of the resources of a kind. Undefined: the kind declares none. */
  readonly follow: (kind: BoundKind) => FollowKind | undefined;
  readonly createController: () => KindController;
}

/** Composes the parts that need git sources. None starts before it is needed. Undefined: the configuration disables them. */
export function composeDelivery(input: DeliveryInput): Delivery | undefined {
  const { shared, stores, shapeOf, cluster, election, events, recordKey, repository, traceReconcile } = input;
  const { config, kinds, clock, metrics } = shared;
  const sourceZone = sourceZoneOf(shared, election);
  if (sourceZone === undefined) return undefined;
  const platform = new PolicyLimits({
    stores,
    installation: config.releasePolicy,
    allowsLocal: allowsLocalSources(shared),
  });
  const { sources } = sourceZone;
  const follow = composeKindSources({ sources, platform, stores, cluster, clock });
  if (kinds.some(({ source }) => source !== undefined)) metrics?.sources.watchSources(() => sources.stats);
  return {
    sourceZone,
    follow: (kind) => kind.source && follow(kind),
    createController: () =>
      createReleaseController({
        ...{
          shared,
          sourceZone,
          platform,
          stores,
          shapeOf,
          cluster,
          election,
          events,
          recordKey,
          repository,
        },
        trailersOf: (release) => trailersOf(Release, release, { kinds, stores }),
        ...(traceReconcile && { traceReconcile }),
      }),
  };
}
