import type { KubernetesObject } from "../../../crds/object.ts";
import { describeObject, listNames } from "../outcome.ts";
import type { Health, HealthStatus } from "./health.ts";
import { plural } from "./health-fields.ts";

/** One child and its health. For a desired child that does not exist, kind and name are sufficient. */
export interface ChildHealth {
  readonly child: Pick<KubernetesObject, "kind" | "metadata">;
  readonly health: Health;
}

const worstFirst: readonly HealthStatus[] = [
  "Failed",
  "NotFound",
  "Terminating",
  "InProgress",
  "Suspended",
  "Current",
];

/**
 * The health of a resource: that of its least healthy child, with the name of the child. It does not depend on the order of
 * the children. Without children: Current.
 */
export function aggregateHealth(children: readonly ChildHealth[]): Health {
  const status =
    worstFirst.find((candidate) => children.some(({ health }) => health.status === candidate)) ?? "Current";
  const rechecks = children.flatMap(({ health: { recheckAfterMs } }) => recheckAfterMs ?? []);
  const worst = children
    .filter(({ health }) => health.status === status)
    .map(({ child, health }) => ({ health, text: `${describeObject(child)}: ${health.message}` }))
    .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
  const described = worst.filter(({ health }) => health.message !== "");
  const message =
    described.length === 0 ? describeQuiet(children.length) : listNames(described.map(({ text }) => text));
  const cause = described.find(({ health }) => health.cause !== undefined)?.health.cause;
  return {
    status,
    reason: worst[0]?.health.reason ?? "Current",
    message,
    ...(cause !== undefined && { cause }),
    ...(rechecks.length > 0 && { recheckAfterMs: Math.min(...rechecks) }),
  };
}

function describeQuiet(amount: number): string {
  return amount === 0 ? "there are no objects" : `${plural(amount, "object")} in place`;
}
