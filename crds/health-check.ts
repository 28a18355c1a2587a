import * as z from "zod";

/** Health checks as expressions of the resource's author. */
export const healthCheck = z
  .object({
    apiVersion: z.string().min(1).max(316),
    kind: z.string().min(1).max(63),
    current: z
      .string()
      .min(1)
      .max(4_096)
      .describe("CEL over the object's fields: true if the object is healthy."),
    inProgress: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe("CEL: true while the object is in progress. Evaluated first."),
    failed: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe("CEL: true if the object has failed and cannot recover by itself. Evaluated second."),
  })
  .describe("Health check for objects of one kind.");

export type HealthCheck = z.output<typeof healthCheck>;
