import { describe, expect, test } from "vitest";
import { assess, type Measurement } from "../../../../rig/bench/report/assess.ts";

const aFill = (implementation: string, round: number, fields: object): Measurement => ({
  ...{ scenario: "fill", n: 1_000, implementation, round },
  ...fields,
});

const findingOf = (measurements: readonly Measurement[], title: string) =>
  assess(measurements).find((finding) => finding.title === title);

describe("assess()", () => {
  test.for([
    { does: "is met when ours is faster", ours: [5, 5, 5], theirs: [6, 6, 6], holds: true },
    {
      does: "is met when the interval reaches the limit",
      ours: [5, 6, 7, 8],
      theirs: [6, 6, 6, 6],
      holds: true,
    },
    { does: "is not met when ours is slower", ours: [7, 7, 7], theirs: [6, 6, 6], holds: false },
  ])("a ratio $does", ({ ours, theirs, holds }) => {
    const measurements = [
      ...ours.map((status_s, round) => aFill("fairlead", round, { status_s })),
      ...theirs.map((status_s, round) => aFill("podset-go", round, { status_s })),
    ];
    expect(findingOf(measurements, "last status right, s")).toMatchObject({
      holds,
      limit: "≤ 1 ×",
      ours,
      theirs,
    });
  });

  test("requires a lower ratio when ours does not publish", () => {
    const measurements = [
      aFill("fairlead-without-git", 1, { status_s: 5.7 }),
      aFill("podset-go", 1, { status_s: 6 }),
    ];
    expect(findingOf(measurements, "last status right, s")).toMatchObject({ limit: "≤ 0.9 ×", holds: false });
  });

  test("does not assess a ratio without the other implementation", () => {
    expect(findingOf([aFill("fairlead", 1, { status_s: 5 })], "last status right, s")?.holds).toBeUndefined();
  });

  test("requires a value of zero in every round where zero is the limit", () => {
    const measurements = [0, 0, 1].map((bad_status, round) => aFill("fairlead", round, { bad_status }));
    expect(findingOf(measurements, "resources with wrong status")).toMatchObject({
      limit: "≤ 0",
      holds: false,
    });
  });

  test("sums the calls per resource by type", () => {
    const calls_per_cr = {
      "patch configmaps": 3,
      "patch benchsets/status": 1.5,
      "get configmaps": 0.5,
      "list configmaps": 0.1,
    };
    const measurements = [aFill("fairlead", 1, { calls_per_cr })];
    expect(findingOf(measurements, "applies per resource")).toMatchObject({ ours: [3], holds: true });
    expect(findingOf(measurements, "status writes per resource")).toMatchObject({ ours: [1.5], holds: true });
    expect(findingOf(measurements, "reads per resource")).toMatchObject({ ours: [0.6], holds: false });
  });

  test("uses the larger limits for 10,000 resources", () => {
    const measurements = [{ ...aFill("fairlead", 1, { own_peak_rss_mib: 250 }), n: 10_000 }];
    expect(findingOf(measurements, "operator peak RSS, MiB")).toMatchObject({ limit: "≤ 300", holds: true });
  });

  test("shows the Go operator alone without assessing it", () => {
    expect(
      findingOf([aFill("podset-go", 1, { bad_status: 3 })], "resources with wrong status"),
    ).toMatchObject({
      implementation: "podset-go",
      ours: [3],
      holds: undefined,
    });
  });
});
