/** Kinds whose objects contain others, as `group/kind`: deleting one deletes its content. */
export const containerKinds: ReadonlySet<string> = new Set([
  "/Namespace",
  "/PersistentVolumeClaim",
  "apiextensions.k8s.io/CustomResourceDefinition",
  "fairlead.dev/Release",
]);
