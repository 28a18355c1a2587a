import * as z from "zod";
import { assessLayers, type KernelWalls } from "./kernel-walls.ts";
import { layers } from "./launch-arguments.ts";

// The report of a process of a zone about kernel isolation: of itself, or of the processes that it starts. Untrusted.

/** Maximum length of the reason why there is none. */
const PROBLEM = 300;

export const wallsReport = z.strictObject({
  landlockAbi: z.int().min(0).max(10_000),
  inForce: z.array(z.enum(layers)).max(layers.length),
  problem: z
    .string()
    .max(PROBLEM)
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u)
    .optional(),
});
export type WallsReport = z.output<typeof wallsReport>;

/** Isolation as a process of a zone reported it. */
export type ReportedWalls = Pick<
  KernelWalls,
  "landlockAbi" | "inForce" | "missing" | "keptApart" | "problem"
>;

/** Creates a report. Pure. */
export function toWallsReport({
  landlockAbi,
  inForce,
  problem,
}: Pick<ReportedWalls, "landlockAbi" | "inForce" | "problem">): WallsReport {
  const line = problem?.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").slice(0, PROBLEM);
  return { landlockAbi, inForce: [...inForce], ...(line !== undefined && { problem: line }) };
}

/** Converts a report that {@link wallsReport} has checked. Pure. */
export function readWallsReport({ landlockAbi, inForce, problem }: WallsReport): ReportedWalls {
  return { landlockAbi, ...assessLayers(inForce), ...(problem !== undefined && { problem }) };
}
