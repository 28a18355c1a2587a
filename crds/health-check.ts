import * as z from "zod";

/** How health is judged by expressions of the resource's author. */
export const healthCheck = z
  .object({
    apiVersion: z.string().min(1).max(316),
    kind: z.string().min(1).max(63),
    current: z.string().min(1).max(4_096).describe("CEL over the object's fields: all is well."),
    inProgress: z.string().min(1).max(4_096).optional().describe("CEL: on its way. Asked first."),
    failed: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe("CEL: it will not get well by itself. Asked second."),
  })
  .describe("How objects of one kind are judged.");

export type HealthCheck = z.output<typeof healthCheck>;
