/**
 * Whether an API group is one of the API server's own, so that its kinds come from no CustomResourceDefinition: it has no
 * domain, or ends in `.k8s.io` with one level below it. Pure.
 */
export function isBuiltInGroup(group: string): boolean {
  return !group.includes(".") || /^[^.]+(\.authorization)?\.k8s\.io$/.test(group);
}
