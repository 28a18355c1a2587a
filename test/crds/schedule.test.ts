import { expect, test } from "vitest";
import { Schedule } from "../../crds/schedule.ts";
import { schedules } from "./schedules.ts";

test.for(schedules.accepted)("Schedule accepts %j, as CronJob does", (schedule) => {
  expect(Schedule.safeParse(schedule).success).toBe(true);
});

test.for(schedules.refused)("Schedule refuses %j, as CronJob does", (schedule) => {
  expect(Schedule.safeParse(schedule).success).toBe(false);
});
