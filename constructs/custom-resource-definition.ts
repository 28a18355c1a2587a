import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { customResourceDefinitionOf } from "../crds/custom-resource-definition.ts";
import type { KindDefinition } from "../crds/kind.ts";

export interface CustomResourceDefinitionProps {
  readonly definition: KindDefinition;
}

/**
 * The CustomResourceDefinition of a kind, with the exact name that the API server requires. A raw ApiObject: the class
 * that cdk8s generated from an old Kubernetes drops every field that is newer.
 */
export class CustomResourceDefinition extends ApiObject {
  readonly definition: KindDefinition;

  constructor(scope: Construct, id: string, { definition }: CustomResourceDefinitionProps) {
    super(scope, id, customResourceDefinitionOf(definition));
    this.definition = definition;
  }
}
