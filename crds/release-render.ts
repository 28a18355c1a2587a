import * as z from "zod";
import { durationSchema } from "./duration-schema.ts";
import { exactlyOne } from "./exactly-one.ts";

/** How the files of a source become manifests. */
export const releaseRender = exactlyOne(
  {
    manifests: z
      .object({})
      .optional()
      .describe("The YAML and JSON files of the folder, as they are; `.fairleadignore` leaves files out."),
    program: z
      .object({
        entry: z
          .string()
          .min(1)
          .max(1_024)
          .default("main.ts")
          .describe("The program's file, below the source path."),
        inputs: z
          .unknown()
          .optional()
          .meta({ "x-kubernetes-preserve-unknown-fields": true })
          .describe("Any JSON, given to the program as a value."),
        timeout: durationSchema("30s", 100).describe("Longest run of the program."),
      })
      .optional()
      .describe("A TypeScript program that makes the objects with cdk8s."),
  },
  "How the source becomes manifests.",
);

export type RenderSpec = z.output<typeof releaseRender>;
