import type { KubernetesObject } from "../../../crds/object.ts";

/** An object before and after a change; undefined: it does not exist. */
export interface Sides {
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

const secretFields = ["data", "stringData"] as const;
const same = "***";

/** The same without any value of a Secret: a changed value is shown only as changed. Pure. */
export function maskSecrets({ before, after }: Sides): Sides {
  return { before: mask(before, after, "before"), after: mask(after, before, "after") };
}

function mask(
  object: KubernetesObject | undefined,
  other: KubernetesObject | undefined,
  side: "before" | "after",
): KubernetesObject | undefined {
  if (object === undefined || object.kind !== "Secret" || object.apiVersion !== "v1") return object;
  const masked: Record<string, unknown> = { ...object };
  for (const field of secretFields) {
    if (!(field in object)) continue;
    masked[field] = maskValues(object[field], other?.[field], side);
  }
  return masked as unknown as KubernetesObject;
}

/** A value that is not a map of texts cannot be a Secret's data, and is masked too. */
function maskValues(values: unknown, others: unknown, side: string): unknown {
  if (!isRecord(values)) return same;
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const other = isRecord(others) && Object.hasOwn(others, key) ? others[key] : undefined;
      return [key, other === undefined || other === value ? same : `${same} (${side})`];
    }),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
