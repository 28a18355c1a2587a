import { beforeEach, expect, test, vi } from "vitest";
import { parseCount, parseNames, parseNumber, parseNumbers, testProgram } from "../../rig/program-options.ts";

const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
});

const parse = (args: readonly string[]): object => {
  const write = (text: string): void => void printed.push(text);
  return testProgram("npm run test:example --", "Runs an example.")
    .configureOutput({ writeOut: write, writeErr: write })
    .option("--lanes <n>", "number of concurrent runs", parseCount, 3)
    .option("--pause <ms>", "pause after each run", parseNumber)
    .option("--seed <numbers>", "seeds", parseNumbers)
    .option("--only <names>", "types", (text) => parseNames(text, ["kill", "429"]))
    .parse(args, { from: "user" })
    .opts();
};

test("testProgram() parses numbers and names", () => {
  expect(parse([])).toEqual({ lanes: 3 });
  const args = ["--lanes=2", "--pause=0.5", "--seed", "1,-2", "--only", "kill,429"];
  expect(parse(args)).toEqual({ lanes: 2, pause: 0.5, seed: [1, -2], only: ["kill", "429"] });
});

test.for<[args: string[], code: number, text: string]>([
  [["--lanes=1", "--help"], 0, "Usage: npm run test:example -- [options]"],
  [["--lane=3"], 2, "unknown option '--lane=3'"],
  [["more"], 2, "too many arguments"],
  [["--lanes"], 2, "'--lanes <n>' argument missing"],
  [["--lanes=0"], 2, "'--lanes <n>' argument '0' is invalid. Expected an integer of at least 1"],
  [["--pause=long"], 2, "'--pause <ms>' argument 'long' is invalid. Expected a number"],
  [["--seed=1,,2"], 2, "'--seed <numbers>' argument '1,,2' is invalid. Expected a number"],
  [["--only=kil"], 2, "'--only <names>' argument 'kil' is invalid. Expected names from kill, 429"],
])("testProgram() answers %j with exit code %i", ([args, code, text]) => {
  expect(() => parse(args)).toThrow(`exit ${code}`);
  expect(printed.join("")).toContain(text);
  if (code === 2) expect(printed.at(-1)).toBe("(npm run test:example -- --help lists the options)\n");
});
