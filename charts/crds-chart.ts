import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { CustomResourceDefinition } from "../constructs/custom-resource-definition.ts";
import type { BoundKind } from "../crds/binding.ts";
import { groupKindOf } from "../crds/object.ts";

export interface CrdsChartProps {
  readonly kinds: readonly BoundKind[];
}

/** The CustomResourceDefinitions of some kinds: what must be there before the first resource, and outlive the operator. */
export class CrdsChart extends Chart {
  constructor(scope: Construct, id: string, { kinds }: CrdsChartProps) {
    super(scope, id);
    for (const { definition } of kinds) {
      new CustomResourceDefinition(this, groupKindOf(definition), { definition });
    }
  }
}
