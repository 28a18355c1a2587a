import * as z from "zod";
import { defineKind, type ResourceOf } from "./kind.ts";
import { Schedule } from "./schedule.ts";

/** Prints a message repeatedly: one CronJob. */
export const ScheduledEcho = defineKind({
  group: "mmontes.io",
  kind: "ScheduledEcho",
  plural: "scheduledechos",
  shortNames: ["sec"],
  description: "ScheduledEcho prints a message on a schedule, in Jobs that a CronJob creates.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          message: z.string().describe("Text to print, literally: no shell interprets it."),
          schedule: Schedule.describe(
            "Schedule in the format of a CronJob: five fields (minute, hour, day of month, month, day of week) such as " +
              '"*/5 * * * MON-FRI", or @hourly, @daily, @weekly, @monthly, @yearly, "@every 90m". Without a time zone.',
          ),
        })
        .describe("What to print and when."),
      status: z.object({
        lastScheduleTime: z.iso
          .datetime({ offset: true })
          .optional()
          .describe("When the message was last due and a Job was created for it."),
        active: z.array(z.string()).optional().describe("Names of the Jobs that are running, sorted."),
      }),
    },
  ],
  columns: [
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule", description: "When to print." },
    { name: "Message", type: "string", jsonPath: ".spec.message", description: "Text to print." },
    {
      name: "Last Schedule",
      type: "date",
      jsonPath: ".status.lastScheduleTime",
      description: "How long ago the message was last due.",
    },
  ],
});

export type ScheduledEchoResource = ResourceOf<typeof ScheduledEcho>;
