import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { CustomResourceDefinition } from "../constructs/custom-resource-definition.ts";
import { Approval } from "../crds/approval.ts";
import type { BoundKind } from "../crds/binding.ts";
import { Freeze } from "../crds/freeze.ts";
import { groupKindOf } from "../crds/object.ts";
import { Release } from "../crds/release.ts";
import { ReleasePolicy } from "../crds/release-policy.ts";

export interface CrdsChartProps {
  readonly kinds: readonly BoundKind[];
  /** Adds Release and the kinds that are only read for Releases: ReleasePolicy, Approval, Freeze. Default: false. */
  readonly releases?: boolean;
}

/**
 * The CustomResourceDefinitions of some kinds: they must exist before the first resource, and stay after the operator
 * was removed.
 */
export class CrdsChart extends Chart {
  constructor(scope: Construct, id: string, { kinds, releases = false }: CrdsChartProps) {
    super(scope, id);
    if (releases) {
      const crd = new CustomResourceDefinition(this, groupKindOf(Release), { definition: Release });
      // kubectl accepts no other kind of object as the parent of an ApplySet.
      crd.metadata.addLabel("applyset.kubernetes.io/is-parent-type", "true");
      for (const definition of [ReleasePolicy, Approval, Freeze])
        new CustomResourceDefinition(this, groupKindOf(definition), { definition });
    }
    for (const { definition } of kinds) {
      new CustomResourceDefinition(this, groupKindOf(definition), { definition });
    }
  }
}
