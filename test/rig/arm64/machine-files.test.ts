import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { initScript } from "../../../rig/arm64/machine-files.ts";

test("the first process is a valid script that reports the exit code of its commands, and turns the machine off", () => {
  const script = initScript("node test.js; exit 3");
  execFileSync("sh", ["-n"], { input: script });
  const from = script.indexOf("( node");
  expect(script.slice(from).split("\n")).toEqual([
    "( node test.js; exit 3 )",
    'echo "machine: exit code $?"',
    "echo o > /proc/sysrq-trigger",
    "sleep 60",
    "",
  ]);
});
