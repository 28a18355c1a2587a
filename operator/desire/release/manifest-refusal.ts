import { groupOf } from "../../../crds/object.ts";
import type { ReleaseRule } from "../../../crds/release-policy.ts";
import { ReleasePolicy } from "../../../crds/release-policy.ts";
import type { DesiredObject, DesiredSet } from "../../engine/desired-set.ts";
import { describeId } from "../../engine/object-text.ts";
import { type Limits, refusedBy, smallestOf } from "./limits.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { CheckedManifests, Desired } from "./release-memory.ts";

export interface ManifestRefusalInput {
  readonly prepared: DesiredSet;
  readonly limits: Limits;
  /** Whether the objects are written with the operator's own permissions. */
  readonly actsAsOperator: boolean;
}

/** Checks the manifests of a Release. Returns the last result while its inputs are the same. Pure. */
export function checkManifests(
  { limits, who, memory: { checked } }: Pick<LoadedRelease, "limits" | "who" | "memory">,
  { prepared }: Pick<Desired, "prepared">,
): CheckedManifests {
  const actsAsOperator = who === undefined;
  const isCurrent =
    checked?.prepared === prepared && checked.limits === limits && checked.actsAsOperator === actsAsOperator;
  if (isCurrent) return checked;
  const message = findManifestRefusal({ prepared, limits, actsAsOperator });
  return { prepared, limits, actsAsOperator, message };
}

/**
 * Why the manifests of a Release may not be applied: a kind, an object without a namespace, their number, or their size.
 * Pure.
 *
 * @returns A message with the first rejected object and its file; undefined: they may be applied.
 */
export function findManifestRefusal({
  prepared: { objects },
  limits,
  actsAsOperator,
}: ManifestRefusalInput): string | undefined {
  const policy = objects.find(({ manifest }) => isKind(ReleasePolicy, manifest));
  if (actsAsOperator && policy !== undefined) {
    const why = `${describe(policy)}: a Release without a ServiceAccount may not change policies`;
    return refusedBy("default", why);
  }
  for (const { from, rule } of limits) {
    const refused = rule.kinds && objects.find((object) => !isAllowed(object, rule.kinds ?? {}));
    if (refused !== undefined) return refusedBy(from, `it does not allow ${describe(refused)}`);
  }
  const most = smallestOf(limits, ({ quotas }) => quotas?.objects);
  if (most !== undefined && objects.length > most.value)
    return refusedBy(
      most.from,
      `a Release may have ${most.value} objects, and this one has ${objects.length}`,
    );
  const largest = smallestOf(limits, ({ quotas }) => quotas?.renderedBytes);
  if (largest === undefined) return undefined;
  const bytes = objects.reduce((sum, { manifest }) => sum + Buffer.byteLength(JSON.stringify(manifest)), 0);
  if (bytes <= largest.value) return undefined;
  return refusedBy(largest.from, `manifests may have ${largest.value} bytes in all, and these have ${bytes}`);
}

type Kinds = NonNullable<ReleaseRule["kinds"]>;

function isAllowed(
  { manifest, kind }: DesiredObject,
  { allowed, denied = [], clusterScoped = true }: Kinds,
): boolean {
  const matches = (pattern: { readonly group: string; readonly kind: string }) => isKind(pattern, manifest);
  if (denied.some(matches) || allowed?.some(matches) === false) return false;
  // The scope of an unknown kind is checked when the cluster has the kind.
  return clusterScoped || kind === undefined || kind.namespaced;
}

function isKind(
  pattern: { readonly group: string; readonly kind: string },
  manifest: { readonly apiVersion: string; readonly kind: string },
): boolean {
  return (
    (pattern.group === "*" || pattern.group === groupOf(manifest.apiVersion)) &&
    (pattern.kind === "*" || pattern.kind === manifest.kind)
  );
}

function describe({ id, origin }: DesiredObject): string {
  return `${describeId(id)} (${origin})`;
}
