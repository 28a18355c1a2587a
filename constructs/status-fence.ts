import type { Construct } from "constructs";
import { Release } from "../crds/release.ts";
import { AdmissionPolicy, type Subject } from "./admission-policy.ts";

export interface StatusFenceProps {
  /** Name of policy and binding. */
  readonly name: string;
  /** The operator. */
  readonly subject: Pick<Subject, "user">;
  /** Namespaces whose Releases the operator reconciles; none: all. */
  readonly namespaces: readonly string[];
}

/**
 * Only the operator writes the status of a Release. The status contains the inventory, which determines the objects of
 * the Release: a user who could write it could make the operator delete any object that the Release's account may
 * delete.
 */
export class StatusFence extends AdmissionPolicy {
  constructor(scope: Construct, id: string, { name, subject, namespaces }: StatusFenceProps) {
    super(scope, id, {
      name,
      subject,
      concerns: "everyone else",
      resourceRules: [
        {
          apiGroups: [Release.group],
          apiVersions: ["*"],
          resources: [`${Release.plural}/status`],
          operations: ["UPDATE"],
        },
      ],
      namespaces,
      variables: {},
      validations: [
        {
          expression: "false",
          message:
            "'only the operator writes the status of a Release: its inventory decides what is deleted'",
        },
      ],
    });
  }
}
