import type { StepVerb } from "../../operator/engine/reasons.ts";
import type { ObjectId } from "../../synth/manifest.ts";

/** The planned step of one object, and its reason. */
export interface WhyStep {
  /** `refused`: the API server would reject it. */
  readonly does: StepVerb | "refused";
  readonly id: ObjectId;
  readonly reason: string;
}

/** Something that a resource waits for. */
export interface Wait {
  /** Reason of a condition, or the type of the wait: `Dependency`, `Operator`. */
  readonly on: string;
  /** For users. */
  readonly message: string;
  /** RFC 3339. */
  readonly since?: string | undefined;
  /** The event that ends it. */
  readonly until?: string | undefined;
}

export interface Wants {
  /** Number of desired objects. */
  readonly objects: number;
  /** Those that are not up to date and healthy. */
  readonly steps: readonly WhyStep[];
  /** Number of objects that the user may not read. */
  readonly unread: number;
  /** Existing objects that are no longer desired. */
  readonly surplus: readonly WhyStep[];
  /** Undefined: the resource adds nothing to objects of other owners. */
  readonly additions?: WantedAdditions | undefined;
}

/** The fields and subresources that a resource adds to objects of other owners. */
export interface WantedAdditions {
  /** Number of objects to which fields are added. */
  readonly objects: number;
  /** Number of objects with missing additions. */
  readonly pending: number;
  /** Number of objects that the user may not read. */
  readonly unread: number;
  /** Additions that are not in place, and fields that are to be removed from other objects. */
  readonly steps: readonly WhyStep[];
}

/** All steps that a report lists. Pure. */
export function stepsOf({ steps, surplus, additions }: Wants): readonly WhyStep[] {
  return [...steps, ...surplus, ...(additions?.steps ?? [])];
}

/** Result of `fairlead why` for one resource. */
export interface WhyReport {
  /** `Release shop/web is not ready (PruneHeld) at 1a2b3c4d5e`. */
  readonly title: string;
  /** Undefined: the desired state could not be determined. */
  readonly wants: Wants | undefined;
  readonly waits: readonly Wait[];
  /** The last changes, newest first. */
  readonly changed: readonly string[];
  /** Commands and other remedies, most promising first. */
  readonly next: readonly string[];
  /** Unknown facts, for example because of missing permissions. */
  readonly unknown: readonly string[];
  /** The source was not read, because the kernel lacks a layer of isolation. */
  readonly isSourceRefused?: boolean;
}

/** Exit codes of `fairlead why`. */
export const exitCodes = { nothing: 0, waits: 1, failed: 2 } as const;

/**
 * 0: everything is up to date and there is no wait. 1: there is something to do or to wait for. 2: there is not, as far
 * as known, or the source was refused. Pure.
 */
export function exitCodeOf({ wants, waits, unknown, isSourceRefused = false }: WhyReport): number {
  if (isSourceRefused) return exitCodes.failed;
  const isLeft = wants !== undefined && stepsOf(wants).some(({ does }) => does !== "keep");
  if (waits.length > 0 || isLeft) return exitCodes.waits;
  return unknown.length > 0 ? exitCodes.failed : exitCodes.nothing;
}
