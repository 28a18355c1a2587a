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
      does: "collects what may be repeated",
      argv: ["--namespace=a", "--namespace=b"],
      gives: { namespaces: ["a", "b"] },
    },
    { does: "takes a switch alone for true", argv: ["--leader-elect"], gives: { leaderElect: "true" } },
    { does: "lets a switch be turned off", argv: ["--leader-elect=false"], gives: { leaderElect: "false" } },
    { does: "passes over the word run", argv: ["run", "--workers=4"], gives: { workers: "4" } },
    { does: "gives nothing for nothing", argv: [], gives: {} },
  ])("$does", ({ argv, gives }) => {
    expect(parseOptionTexts(argv)).toEqual(gives);
  });

  test("names an option that does not exist", () => {
    expect(() => parseOptionTexts(["--leader-elekt"])).toThrow(ConfigError);
    expect(() => parseOptionTexts(["--leader-elekt"])).toThrow("--leader-elekt");
  });
});
