import type { StepVerb } from "../../operator/engine/reasons.ts";
import type { ObjectId } from "../../synth/manifest.ts";

/** The planned step of one object, and its reason. */
export interface WhyStep {
  /** `refused`: the API server would not take it. */
  readonly does: StepVerb | "refused";
  readonly id: ObjectId;
  readonly reason: string;
}

/** Something that a resource waits for. */
export interface Wait {
  /** Reason of a condition, or what is waited for: `Dependency`, `Operator`. */
  readonly on: string;
  /** For people. */
  readonly message: string;
  /** RFC 3339. */
  readonly since?: string | undefined;
  /** When it is over, or what ends it. */
  readonly until?: string | undefined;
}

export interface Wants {
  /** How many objects there are to be. */
  readonly objects: number;
  /** Those of them that are not simply as they should be. */
  readonly steps: readonly WhyStep[];
  /** How many of them the user may not read. */
  readonly unread: number;
  /** Objects that are there and no longer wanted. */
  readonly surplus: readonly WhyStep[];
  /** Undefined: the resource adds nothing to objects of other owners. */
  readonly additions?: WantedAdditions | undefined;
}

/** The fields and subresources that a resource adds to objects of other owners. */
export interface WantedAdditions {
  /** How many objects there are to add to. */
  readonly objects: number;
  /** How many of them lack something. */
  readonly pending: number;
  /** How many of them the user may not read. */
  readonly unread: number;
  /** Additions that are not simply in place, and fields that are to be removed from other objects. */
  readonly steps: readonly WhyStep[];
}

/** All steps that a report lists. Pure. */
export function stepsOf({ steps, surplus, additions }: Wants): readonly WhyStep[] {
  return [...steps, ...surplus, ...(additions?.steps ?? [])];
}

/** What `fairlead why` says of one resource. */
export interface WhyReport {
  /** `Release shop/web is not ready (PruneHeld) at 1a2b3c4d5e`. */
  readonly title: string;
  /** Undefined: it could not be found out what it wants. */
  readonly wants: Wants | undefined;
  readonly waits: readonly Wait[];
  /** The last changes, newest first. */
  readonly changed: readonly string[];
  /** Commands and other remedies, most promising first. */
  readonly next: readonly string[];
  /** Unknown facts, for example because of missing rights. */
  readonly unknown: readonly string[];
}

/** Exit codes of `fairlead why`. */
export const exitCodes = { nothing: 0, waits: 1, failed: 2 } as const;

/** 0: all is as wanted and nothing is waited for. 1: something is. 2: nothing is, as far as it could be found out. Pure. */
export function exitCodeOf({ wants, waits, unknown }: WhyReport): number {
  const isLeft = wants !== undefined && stepsOf(wants).some(({ does }) => does !== "keep");
  if (waits.length > 0 || isLeft) return exitCodes.waits;
  return unknown.length > 0 ? exitCodes.failed : exitCodes.nothing;
}
