import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shortenStage } from "../../../charts/pipeline/short-report.ts";
import { storedBytes } from "../../../charts/pipeline/stored-text.ts";
import { gateNames, type StageStatus } from "../../../crds/pipeline-status.ts";
import { limitRuns } from "../../long.ts";

const aText = fc
  .tuple(fc.constantFrom("a", "語", "<"), fc.nat(5_000))
  .map(([text, times]) => text.repeat(times));
const texts = fc.array(aText, { maxLength: 300 });
const aStage: fc.Arbitrary<StageStatus> = fc
  .record({ message: aText, problems: texts, excluded: texts, gates: fc.subarray([...gateNames]) })
  .map(({ message, problems, excluded, gates }) => ({
    name: "prod",
    phase: "Waiting",
    promotion: { name: "shop-prod-1", number: 1, revision: "1".repeat(40), digest: "d", message },
    waiting: gates.map((gate) => ({ gate, message, ...(gate === "Approvals" && { excluded }) })),
    problems,
  }));

describe("shortenStage()", () => {
  test("fits into 24 KiB, and has all gates", () => {
    fc.assert(
      fc.property(aStage, (stage) => {
        const short = shortenStage(stage);
        expect(storedBytes(short)).toBeLessThan(24 * 1024);
        expect(short.waiting?.map(({ gate }) => gate)).toEqual(stage.waiting?.map(({ gate }) => gate));
      }),
      { numRuns: limitRuns(30) },
    );
  });

  test("keeps the first problems, and counts the others", () => {
    const problems = Array.from({ length: 9 }, (_, at) => `${at}${"x".repeat(900)}`);
    const short = shortenStage({ name: "prod", phase: "Idle", problems }).problems;
    expect(short).toEqual([...problems.slice(0, 4), "and 5 more"]);
  });
});
