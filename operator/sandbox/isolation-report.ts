import * as z from "zod";
import { assessLayers, type KernelIsolation } from "./kernel-isolation.ts";
import { layers } from "./launch-arguments.ts";

// The report of a process of a zone about kernel isolation: of itself, or of the processes that it starts. Untrusted.

/** Maximum length of the reason why there is none. */
const PROBLEM = 300;

export const isolationReport = z.strictObject({
  landlockAbi: z.int().min(0).max(10_000),
  inForce: z.array(z.enum(layers)).max(layers.length),
  problem: z
    .string()
    .max(PROBLEM)
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u)
    .optional(),
});
export type IsolationReport = z.output<typeof isolationReport>;

/** Isolation as a process of a zone reported it. */
export type ReportedIsolation = Pick<
  KernelIsolation,
  "landlockAbi" | "inForce" | "missing" | "keptApart" | "problem"
>;

/** Creates a report. Pure. */
export function toIsolationReport({
  landlockAbi,
  inForce,
  problem,
}: Pick<ReportedIsolation, "landlockAbi" | "inForce" | "problem">): IsolationReport {
  const line = problem?.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").slice(0, PROBLEM);
  return { landlockAbi, inForce: [...inForce], ...(line !== undefined && { problem: line }) };
}

/** Converts a report that {@link isolationReport} has checked. Pure. */
export function readIsolationReport({ landlockAbi, inForce, problem }: IsolationReport): ReportedIsolation {
  return { landlockAbi, ...assessLayers(inForce), ...(problem !== undefined && { problem }) };
}
