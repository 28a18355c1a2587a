import { describe, expect, test } from "vitest";
import { parseOptionTexts } from "../../../operator/config/command-line.ts";
import { ConfigError } from "../../../operator/config.ts";

describe("parseOptionTexts()", () => {
  test.for([
    {
      does: "reads both spellings",
      argv: ["--workers=4", "--log-level", "debug"],
      gives: { workers: "4", logLevel: "debug" },
    },
    {
      does: "collects repeatable options",
      argv: ["--namespace=a", "--namespace=b"],
      gives: { namespaces: ["a", "b"] },
    },
    {
      does: "reads a switch without a value as true",
      argv: ["--leader-elect"],
      gives: { leaderElect: "true" },
    },
    { does: "allows disabling a switch", argv: ["--leader-elect=false"], gives: { leaderElect: "false" } },
    { does: "ignores the word run", argv: ["run", "--workers=4"], gives: { workers: "4" } },
    { does: "returns nothing for no arguments", argv: [], gives: {} },
  ])("$does", ({ argv, gives }) => {
    expect(parseOptionTexts(argv)).toEqual(gives);
  });

  test("names an option that does not exist", () => {
    expect(() => parseOptionTexts(["--leader-elekt"])).toThrow(ConfigError);
    expect(() => parseOptionTexts(["--leader-elekt"])).toThrow("--leader-elekt");
  });
});
