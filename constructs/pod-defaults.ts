// Defaults for the pods of the operator. Children of custom resources get none of them: they have exactly the fields
// that their kind defines (no requests, limits, probes, security context, strategy or token setting that a library
// adds), because every other field belongs to its own manager.

/** A user id without privileges on any system; images need no entry for it. */
const nobody = 65_532;

/** Security context of a pod that satisfies the `restricted` Pod Security Standard. */
export const restrictedPod = {
  runAsNonRoot: true,
  runAsUser: nobody,
  runAsGroup: nobody,
  // Lets the process read a mounted Secret that only its group may read.
  fsGroup: nobody,
  seccompProfile: { type: "RuntimeDefault" },
} as const;

/** Security context of a container that also satisfies it, and cannot write outside its volumes. */
export const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
} as const;
