/**
 * Whether an API group is built into the API server, so that its kinds have no CustomResourceDefinition. The name of such a
 * group has no domain, or consists of one label and `.k8s.io`. Pure.
 */
export function isBuiltInGroup(group: string): boolean {
  return !group.includes(".") || /^[^.]+(\.authorization)?\.k8s\.io$/.test(group);
}
