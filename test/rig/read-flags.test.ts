import { expect, test } from "vitest";
import {
  choiceFlag,
  folderFlag,
  namesFlag,
  numberFlag,
  numbersFlag,
  parseFlags,
  switchFlag,
} from "../../rig/read-flags.ts";

const input = {
  command: "npm run test:example --",
  description: "Runs an example.",
  flags: {
    lanes: numberFlag("Number of concurrent runs.", 3),
    seed: numbersFlag("The seeds."),
    only: namesFlag("The types."),
    beside: choiceFlag("The neighbour.", ["tenant", "loop"]),
    out: folderFlag("Folder for logs.", "/tmp/x"),
    verbose: switchFlag("Print everything."),
  },
};
const defaults = { lanes: 3, seed: [], only: undefined, beside: "tenant", out: "/tmp/x", verbose: false };

test.for<[args: string[], values: object]>([
  [[], {}],
  [["--lanes", "0.5", "--verbose"], { lanes: 0.5, verbose: true }],
  [["--seed=1,-2", "--only", "kill,429"], { seed: [1, -2], only: ["kill", "429"] }],
  [["--beside=loop", "--out", "a"], { beside: "loop", out: "a" }],
])("parseFlags() reads %j", ([args, values]) => {
  expect(parseFlags(args, input)).toEqual({ values: { ...defaults, ...values }, rest: [] });
});

test.for<[args: string[], reason: string]>([
  [["--lane=3"], "Unknown option '--lane'"],
  [["more"], "Unexpected argument 'more'"],
  [["--lanes"], "Option '--lanes <value>' argument missing"],
  [["--lanes", "--verbose"], "Option '--lanes' argument is ambiguous"],
  [["--verbose=no"], "Option '--verbose' does not take an argument"],
  [["--lanes=three"], 'Cannot read "--lanes=three": expected --lanes <number>'],
  [["--lanes="], 'Cannot read "--lanes=": expected --lanes <number>'],
  [["--seed=1,,2"], 'Cannot read "--seed=1,,2": expected --seed <number,...>'],
  [["--beside=both"], 'Cannot read "--beside=both": expected --beside <tenant|loop>'],
])("parseFlags() refuses %j in one line", ([args, reason]) => {
  expect(parseFlags(args, input)).toEqual({ text: `${reason}; --help lists the flags`, exitCode: 2 });
});

test("parseFlags() describes the flags and their defaults for --help", () => {
  expect(parseFlags(["--lanes=1", "--help"], input)).toEqual({
    text: `Runs an example.

Usage: npm run test:example -- [flags]

  --lanes <number>        Number of concurrent runs. Default: 3.
  --seed <number,...>     The seeds.
  --only <name,...>       The types.
  --beside <tenant|loop>  The neighbour. Default: tenant.
  --out <folder>          Folder for logs. Default: /tmp/x.
  --verbose               Print everything.`,
    exitCode: 0,
  });
});

test("parseFlags() permits other arguments only for a program that describes them", () => {
  const withRest = { ...input, flags: {}, rest: "Files of tests." };
  expect(parseFlags(["a", "--", "-t", "b"], withRest)).toEqual({ values: {}, rest: ["a", "-t", "b"] });
  expect(parseFlags(["--help"], withRest)).toMatchObject({
    text: expect.stringContaining("Files of tests."),
  });
});
