import * as z from "zod";
import { defineKind, type ResourceOf } from "./kind.ts";

/** Prints a message once: one Job. */
export const Echo = defineKind({
  group: "mmontes.io",
  kind: "Echo",
  plural: "echos",
  shortNames: ["ec"],
  description: "Echo prints a message once, in a Job. A new message runs a new Job.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          message: z.string().describe("Text to print, literally: no shell interprets it."),
        })
        .describe("What to print."),
      status: z.object({
        startTime: z.iso
          .datetime({ offset: true })
          .optional()
          .describe("When the Job started to print the message."),
        completionTime: z.iso.datetime({ offset: true }).optional().describe("When the message was printed."),
      }),
    },
  ],
  columns: [
    { name: "Message", type: "string", jsonPath: ".spec.message", description: "Text to print." },
    {
      name: "Completed",
      type: "date",
      jsonPath: ".status.completionTime",
      description: "How long ago the message was printed.",
      priority: 1,
    },
  ],
});

export type EchoResource = ResourceOf<typeof Echo>;
