import type { BoundKind } from "../../../crds/binding.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { filesOf } from "../../../synth/file-tree.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { offerOf, publishAt } from "../../engine/publish-at.ts";
import { publishedOf } from "../../engine/published.ts";
import type { Publisher, PublishState } from "../../ports.ts";
import type { Loaded } from "./load.ts";

export interface PublishOptions {
  readonly kind: BoundKind;
  readonly publisher: Publisher;
  /** Id of the location to which it publishes. */
  readonly place: string;
}

/**
 * Offers the applied objects to the publisher, and returns the state of the publication. Renders files only if necessary.
 *
 * @returns Undefined: no object of the resource is or was committed to git.
 */
export function publish(
  { resource }: Loaded,
  desired: DesiredSet,
  { kind, publisher, place }: PublishOptions,
): PublishState | undefined {
  const { manifests, digest } = publishedOf(desired);
  const last = (resource.status as EngineStatus | undefined)?.published;
  if (desired.hasUnpublished && manifests.length === 0 && last === undefined) return undefined;
  const files = { digest, render: () => filesOf(manifests, resource) };
  return publishAt(place, offerOf(kind.definition, resource, files), publisher);
}
