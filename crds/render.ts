import * as z from "zod";
import { durationSchema } from "./duration-schema.ts";
import { exactlyOne } from "./exactly-one.ts";

/** How the manifests are rendered from the files of a source. */
export const releaseRender = exactlyOne(
  {
    manifests: z
      .object({})
      .optional()
      .describe("The YAML and JSON files of the folder, unchanged; `.fairleadignore` excludes files."),
    program: z
      .object({
        entry: z
          .string()
          .min(1)
          .max(1_024)
          .default("main.ts")
          .describe("File of the program, relative to the source path."),
        inputs: z
          .unknown()
          .optional()
          .meta({ "x-kubernetes-preserve-unknown-fields": true })
          .describe("Any JSON value, passed to the program."),
        timeout: durationSchema("30s", 100).describe("Longest run time of the program."),
      })
      .optional()
      .describe("A TypeScript program that defines the objects with cdk8s."),
  },
  "How manifests are rendered from the source.",
);

export type RenderSpec = z.output<typeof releaseRender>;
