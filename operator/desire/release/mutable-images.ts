/** Fields of a pod's spec that list containers. */
const containerFields: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"]);

/**
 * Counts the distinct images of all containers without a digest, whose content can change without a commit. Pods are found at
 * any depth, so that custom resources with pod templates count. Pure.
 */
export function countMutableImages(manifests: readonly object[]): number {
  const images = new Set<string>();
  const note = (image: unknown): void => {
    if (typeof image === "string" && image !== "" && !image.includes("@")) images.add(image);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
      return;
    }
    if (!isFields(value)) return;
    for (const [name, field] of Object.entries(value)) {
      if (Array.isArray(field) && containerFields.has(name))
        for (const container of field) if (isFields(container)) note(container["image"]);
      // A volume may contain an image.
      if (Array.isArray(field) && name === "volumes")
        for (const volume of field)
          if (isFields(volume) && isFields(volume["image"])) note(volume["image"]["reference"]);
      visit(field);
    }
  };
  for (const manifest of manifests) visit(manifest);
  return images.size;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
