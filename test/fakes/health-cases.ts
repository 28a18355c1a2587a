import { parse } from "yaml";
import type { LiveObject } from "../../crds/object.ts";
import { assessHealth, type Health } from "../../operator/engine/health/health.ts";

/** The current time in every case is noon. */
export const nowMs = Date.parse("2026-01-01T12:00:00Z");
export const young = 'creationTimestamp: "2026-01-01T11:59:30Z"';
export const old = 'creationTimestamp: "2026-01-01T11:00:00Z"';

export interface HealthCase {
  readonly does: string;
  /** `group/version Kind { metadata }`. */
  readonly head: string;
  /** Content in YAML. */
  readonly rest?: string;
  readonly is: object;
}

/** The health of the object of a case. */
export function assess({ head, rest = "" }: Pick<HealthCase, "head" | "rest">): Health {
  const [, apiVersion, kind, metadata = "{}"] = /^(\S+) (\w+) ?({.*})?$/.exec(head) ?? [];
  const object = { apiVersion, kind, ours: true, ...parse(rest) };
  const base = { name: "web", namespace: "shop", uid: "1", resourceVersion: "1", ...parse(metadata) };
  return assessHealth({ ...object, metadata: base } as LiveObject, { nowMs });
}

/** A condition in YAML. */
export const condition = (type: string, status: string, more = ""): string =>
  `{ type: ${type}, status: "${status}"${more} }`;

/** A status with only conditions, in YAML. */
export const conditions = (...all: readonly string[]): string =>
  `status: { conditions: [${all.join(", ")}] }`;
