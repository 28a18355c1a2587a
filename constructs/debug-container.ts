import { containerName } from "../crds/names.ts";
import type { LiveObject } from "../crds/object.ts";

/** The fields of an ephemeral container that identify it. */
export interface EphemeralContainer {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A container that waits with a shell for a user to attach. Its name is derived from its image, and is always valid. */
export function debugContainer(image: string): EphemeralContainer {
  return {
    name: containerName(`ephemeral-${image}`),
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["sh"],
    stdin: true,
    tty: true,
    terminationMessagePolicy: "File",
  };
}

/** The ephemeral containers of a pod, from any creator. */
export function ephemeralContainersOf(pod: LiveObject): readonly EphemeralContainer[] {
  const spec = pod["spec"] as { readonly ephemeralContainers?: readonly EphemeralContainer[] } | undefined;
  return spec?.ephemeralContainers ?? [];
}

/** Whether a pod has exactly this container. A container with its name and other content belongs to another owner. */
export function hasEphemeralContainer(pod: LiveObject, wanted: EphemeralContainer): boolean {
  const found = ephemeralContainersOf(pod).find(({ name }) => name === wanted.name);
  return (
    found !== undefined &&
    Object.entries(wanted).every(([field, value]) => JSON.stringify(found[field]) === JSON.stringify(value))
  );
}
