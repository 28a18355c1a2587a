import { describe, expect, test } from "vitest";
import {
  isolationReport,
  readIsolationReport,
  toIsolationReport,
} from "../../../operator/sandbox/isolation-report.ts";
import { noKernelIsolation } from "../../../operator/sandbox/kernel-isolation.ts";
import { kernelIsolation } from "../../fakes/launcher.ts";

describe("isolationReport", () => {
  test.for([kernelIsolation, noKernelIsolation("the launcher is not installed")])(
    "transfers the layers",
    (isolation) => {
      const { launcher: _, node: __, ...found } = isolation;
      expect(readIsolationReport(isolationReport.parse(toIsolationReport(isolation)))).toEqual(found);
    },
  );

  test("transfers a reason of any form as one line of bounded length", () => {
    const report = toIsolationReport(noKernelIsolation(`one\n\u001b[2Jtwo\u202e${"x".repeat(1_000)}`));
    expect(isolationReport.parse(report).problem).toMatch(/^one \[2Jtwo x{100,}$/);
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
    expect(isolationReport.safeParse(report).success).toBe(true);
    expect(isolationReport.safeParse(made).success).toBe(false);
  });
});
