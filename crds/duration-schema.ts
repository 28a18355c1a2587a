import * as z from "zod";
import { toMilliseconds } from "./duration.ts";

/** `500ms`, `90s`, `1m30s`, `2h`: at most 7 days, so that no timer overflows. */
export function durationSchema(fallback: string, leastMs: number) {
  return z
    .string()
    .max(20)
    .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/)
    .refine((text) => toMilliseconds(text) >= leastMs && toMilliseconds(text) <= 7 * 24 * 3_600_000, {
      error: `must be between ${leastMs / 1_000}s and 168h`,
    })
    .meta({
      "x-kubernetes-validations": [
        {
          rule: `duration(self) >= duration('${leastMs}ms') && duration(self) <= duration('168h')`,
          message: `must be between ${leastMs / 1_000}s and 168h`,
        },
      ],
    })
    .default(fallback);
}
