// What pods get from us on purpose. Children of custom resources get nothing of this: they have exactly the fields
// that their kind promises (no requests, limits, probes, security context, strategy or token setting that a library
// adds), because every other field belongs to its own manager.

/** The user id that has no rights on any system; images need no entry for it. */
const nobody = 65_532;

/** A pod that passes the `restricted` Pod Security Standard. */
export const restrictedPod = {
  runAsNonRoot: true,
  runAsUser: nobody,
  runAsGroup: nobody,
  // Lets the process read a mounted Secret that only its group may read.
  fsGroup: nobody,
  seccompProfile: { type: "RuntimeDefault" },
} as const;

/** A container that passes it too, and cannot write outside its volumes. */
export const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
} as const;
