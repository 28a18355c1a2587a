import { Event } from "../crds/core-kinds.ts";
import type { Operation, ResourceRule } from "./admission-policy.ts";

/** Objects of every kind, without their subresources. */
export function anyKind(operations: readonly Operation[]): ResourceRule {
  return { apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations };
}

/**
 * Writes of the operator that belong to no resource: events, which any instance may write, and the Lease with which an
 * instance becomes the leader. Reviews (of permissions) change nothing.
 */
export function exceptions(lease: string): readonly ResourceRule[] {
  const operations = ["CREATE", "UPDATE", "DELETE"] as const;
  const rule = (group: string, resource: string): ResourceRule => ({
    apiGroups: [group],
    apiVersions: ["*"],
    resources: [resource],
    operations,
  });
  return [
    rule("", Event.plural),
    rule(Event.group, Event.plural),
    { ...rule("coordination.k8s.io", "leases"), resourceNames: [lease] },
    rule("authentication.k8s.io", "*"),
    rule("authorization.k8s.io", "*"),
  ];
}
