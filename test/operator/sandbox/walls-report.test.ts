import { describe, expect, test } from "vitest";
import { noKernelWalls } from "../../../operator/sandbox/kernel-walls.ts";
import { readWallsReport, toWallsReport, wallsReport } from "../../../operator/sandbox/walls-report.ts";
import { kernelWalls } from "../../fakes/launcher.ts";

describe("wallsReport", () => {
  test.for([kernelWalls, noKernelWalls("the launcher is not installed")])("transfers the layers", (walls) => {
    const { launcher: _, node: __, ...found } = walls;
    expect(readWallsReport(wallsReport.parse(toWallsReport(walls)))).toEqual(found);
  });

  test("transfers a reason of any form as one line of bounded length", () => {
    const report = toWallsReport(noKernelWalls(`one\n\u001b[2Jtwo\u202e${"x".repeat(1_000)}`));
    expect(wallsReport.parse(report).problem).toMatch(/^one \[2Jtwo x{100,}$/);
  });

  const report = { landlockAbi: 7, inForce: ["files"] };
  test.for([
    { what: "an unknown layer", made: { ...report, inForce: ["moat"] } },
    { what: "many layers", made: { ...report, inForce: Array.from({ length: 6 }, () => "files") } },
    { what: "an invalid version", made: { ...report, landlockAbi: -1 } },
    { what: "a long reason", made: { ...report, problem: "x".repeat(301) } },
    { what: "an escape sequence", made: { ...report, problem: "\u001b[2J" } },
    { what: "an unknown field", made: { ...report, keptApart: true } },
  ])("refuses $what", ({ made }) => {
    expect(wallsReport.safeParse(report).success).toBe(true);
    expect(wallsReport.safeParse(made).success).toBe(false);
  });
});
