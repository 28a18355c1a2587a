import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { CustomResourceDefinition } from "../constructs/custom-resource-definition.ts";
import type { BoundKind } from "../crds/binding.ts";
import { groupKindOf } from "../crds/object.ts";
import { Release } from "../crds/release.ts";
import { ReleasePolicy } from "../crds/release-policy.ts";

export interface CrdsChartProps {
  readonly kinds: readonly BoundKind[];
  /** Release and ReleasePolicy too. Default: false. */
  readonly releases?: boolean;
}

/** The CustomResourceDefinitions of some kinds: what must be there before the first resource, and outlive the operator. */
export class CrdsChart extends Chart {
  constructor(scope: Construct, id: string, { kinds, releases = false }: CrdsChartProps) {
    super(scope, id);
    if (releases) {
      const crd = new CustomResourceDefinition(this, groupKindOf(Release), { definition: Release });
      // kubectl takes no other kind of object for the parent of an ApplySet.
      crd.metadata.addLabel("applyset.kubernetes.io/is-parent-type", "true");
      new CustomResourceDefinition(this, groupKindOf(ReleasePolicy), { definition: ReleasePolicy });
    }
    for (const { definition } of kinds) {
      new CustomResourceDefinition(this, groupKindOf(definition), { definition });
    }
  }
}
