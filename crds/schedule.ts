import * as z from "zod";

// Schedules that CronJob accepts: the standard syntax of robfig/cron v3, without a time zone. The pattern accepts
// everything that CronJob accepts, and a second rule adds the arithmetic; the remaining invalid values (a number of
// twenty digits) are rejected by the API server when the CronJob is applied.

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const number = (upTo: string) => `\\+?0*(?:${upTo})`;
const minute = number("[0-5]?[0-9]");
const hour = number("1?[0-9]|2[0-3]");
const dayOfMonth = number("[1-9]|[12][0-9]|3[01]");
const month = `${number("[1-9]|1[0-2]")}|(?i:${months.join("|")})`;
const dayOfWeek = `${number("[0-6]")}|(?i:${days.join("|")})`;

// The characters that Go treats as white space.
const blank = "\\p{Z}\\t-\\r\\x85";

/** A list of `*`, values and ranges, each with an optional step. CronJob ignores the text after `*-`, and empty parts. */
function field(value: string): string {
  const range = `(?:[*?](?:-[^${blank},/]*)?|(?:${value})(?:-(?:${value}))?)(?:/\\+?[0-9]*[1-9][0-9]*)?`;
  return `(?:,+|,*${range}(?:,+${range})*,*)`;
}

const fields = [minute, hour, dayOfMonth, month, dayOfWeek].map(field).join(`[${blank}]+`);
const duration = "[-+]?(?:0|(?:(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)";
const named = `@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every ${duration})`;

const pattern = new RegExp(`^(?:[${blank}]*${fields}[${blank}]*|${named})$`, "u");

const asNumbers = [
  ...months.map((name, index) => `.replace('${name}', '${index + 1}')`),
  ...days.map((name, index) => `.replace('${name}', '${index}')`),
].join("");

/** A schedule that CronJob accepts, at most 512 characters. */
export const Schedule = z
  .string()
  .max(512)
  .refine(
    (schedule) => pattern.test(schedule) && !schedule.includes("TZ"),
    "not a valid schedule of a CronJob",
  )
  .meta({
    "x-kubernetes-validations": [
      {
        // In a rule and not a `pattern`, whose message would be the pattern itself.
        rule: `self.matches(r'${pattern.source}') && !self.contains('TZ')`,
        message:
          "must be five fields (minute, hour, day of month, month, day of week), @hourly, @daily, @weekly, @monthly, " +
          '@yearly, or @every and a duration such as "@every 90m"; without a time zone',
      },
      {
        rule:
          `self.lowerAscii().replace('+', '')${asNumbers}.findAll('(^|[ ,])[0-9]+-[0-9]+')` +
          ".all(range, int(range.replace(',', '').trim().split('-')[0]) <= int(range.split('-')[1]))",
        message: "the end of a range is before its start",
      },
    ],
  });
