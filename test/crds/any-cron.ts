import fc from "fast-check";

const value = fc.oneof(
  fc.constantFrom("*", "?", "*-3", "JAN", "dec", "Mon", "sun", "SAT", "+3", "007"),
  fc.constantFrom(0, 1, 6, 7, 12, 13, 23, 24, 31, 32, 59, 60),
  fc.nat(70),
);
const step = fc.constantFrom("1", "0", "5", "07", "+2", "x");
const part = fc
  .tuple(value, fc.option(value), fc.option(step))
  .map(
    ([low, high, every]) => `${low}${high === null ? "" : `-${high}`}${every === null ? "" : `/${every}`}`,
  );
const list = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));
const blank = fc.constantFrom(" ", "  ", "\t", "\u00a0");

const characters = fc.constantFrom(..."*?-/,0123456789 MONJANTZ@everyhsm.+\t");

/** Five fields that a CronJob usually accepts. */
const sound = fc
  .tuple(
    fc.nat(59),
    fc.nat(23),
    fc.integer({ min: 1, max: 31 }),
    fc.constantFrom("JAN", "2", "*/2"),
    fc.constantFrom("MON-5", "0", "*"),
  )
  .map((fields) => fields.join(" "));

/** The same with one field that may be anything. */
const nearlySound = fc
  .tuple(sound, fc.nat(4), list)
  .map(([text, at, field]) => text.split(" ").with(at, field).join(" "));

/** Valid, almost valid and invalid schedules, some with an additional character. */
export const anyCron: fc.Arbitrary<string> = fc.oneof(
  sound,
  nearlySound,
  nearlySound,
  nearlySound,
  fc.tuple(list, blank, list, blank, list, blank, list, blank, list).map((parts) => parts.join("")),
  fc
    .tuple(sound, fc.nat(12), characters)
    .map(([text, at, character]) => `${text.slice(0, at)}${character}${text.slice(at)}`),
  // Short, so that no duration exceeds Go's maximum of 292 years.
  fc
    .string({ unit: fc.constantFrom(..."0123456789.hmsnuµ+-"), maxLength: 6 })
    .map((text) => `@every ${text}`),
  fc.string({ unit: characters, maxLength: 20 }),
);
