import type { Construct } from "constructs";
import { childLabels } from "../../constructs/child-labels.ts";
import type { BoundKind } from "../../crds/binding.ts";
import type { CustomResource } from "../../crds/object.ts";
import type { Observed } from "../../crds/observed.ts";
import { unstampManifest } from "../../synth/stamp.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { observe } from "../fakes/observed.ts";
import { aResource, type ResourceOptions } from "../fakes/resources.ts";

/** The objects of a kind's chart for a resource, without stamps. */
export function madeBy(
  kind: BoundKind<Construct>,
  options: ResourceOptions,
  observed: Observed = observe(),
): readonly object[] {
  return synthesize(kind, aResource(kind, options), observed).manifests.map(unstampManifest);
}

/** The labels that all children of a resource carry. */
export function ourLabels(kind: BoundKind<Construct>, name: string): Record<string, string> {
  return childLabels(kind.definition, { metadata: { name } } as CustomResource);
}
