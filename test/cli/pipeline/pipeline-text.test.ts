import { describe, expect, test } from "vitest";
import type { PipelineObject } from "../../../cli/pipeline/pipeline-object.ts";
import { formatPipeline, type PromotionObject } from "../../../cli/pipeline/pipeline-text.ts";

const [first, second, third] = ["a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string];
const nowMs = Date.parse("2026-11-23T12:00:00Z");

const commit = (revision: string, subject: string, minute: number) => ({
  revision,
  subject,
  author: "ann",
  committedAt: `2026-11-23T11:${minute}:00Z`,
});

function aPipeline(status: object | undefined): PipelineObject {
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Pipeline",
    metadata: { name: "shop", namespace: "delivery", uid: "1" },
    spec: { stages: [{ name: "dev" }, { name: "prod" }] },
    ...(status && { status }),
  } as unknown as PipelineObject;
}

function aPromotion(stage: string, revision: string, phase: string, minute: number): PromotionObject {
  return {
    metadata: { name: `shop-${stage}-${minute}`, creationTimestamp: `2026-11-23T11:${minute}:00Z` },
    spec: { pipeline: "shop", stage, revision },
    status: { phase },
  } as PromotionObject;
}

const digest = "d".repeat(64);
const status = {
  conditions: [{ type: "Ready", status: "False", reason: "Waiting", message: "prod waits for an approval" }],
  head: { ...commit(third, "Raise the price", 59), tree: "t" },
  candidates: [
    { number: 1, ...commit(first, "Open the shop", 40), releases: [] },
    {
      number: 2,
      ...commit(second, "Paint it in a colour that nobody has ever seen before", 50),
      releases: [],
    },
  ],
  stages: [
    { name: "dev", phase: "Passed", running: { revision: second, digest, proven: true } },
    {
      name: "prod",
      phase: "Waiting",
      running: { revision: first, digest, proven: true },
      next: { revision: second, digest },
      waiting: [{ gate: "Approvals", message: "0 of 1" }],
    },
  ],
};

describe("a Pipeline on a terminal", () => {
  test("shows what each stage runs and waits for, and the result of each commit in each stage", () => {
    const promotions = [
      aPromotion("dev", second, "Passed", 52),
      aPromotion("dev", second, "Failed", 51),
      aPromotion("dev", first, "Superseded", 41),
      aPromotion("prod", first, "Passed", 45),
    ];
    expect(formatPipeline(aPipeline(status), promotions, { nowMs })).toEqual([
      "Pipeline delivery/shop: Waiting: prod waits for an approval",
      "",
      "STAGE  PHASE    RUNS        NEXT        MESSAGE",
      "dev    Passed   bbbbbbbbbb  none",
      "prod   Waiting  aaaaaaaaaa  bbbbbbbbbb  Approvals: 0 of 1",
      "",
      "COMMIT      AGE  DEV           PROD          SUBJECT",
      "cccccccccc  60s  -             -             Raise the price (ann)",
      "bbbbbbbbbb  10m  passed, runs  waits         Paint it in a colour that nobody has ev… (ann)",
      "aaaaaaaaaa  20m  superseded    passed, runs  Open the shop (ann)",
    ]);
  });

  test("also shows a commit that is no longer in the Pipeline's status, while a stage runs it", () => {
    const [, ...others] = status.candidates;
    const lines = formatPipeline(
      aPipeline({ ...status, candidates: others }),
      [aPromotion("prod", first, "Passed", 45)],
      {
        nowMs,
      },
    );
    expect(lines.at(-1)).toBe("aaaaaaaaaa  15m  -     passed, runs");
  });

  test("reports that it was not reconciled, and that there is no commit", () => {
    expect(formatPipeline(aPipeline(undefined), [], { nowMs })).toEqual([
      "Pipeline delivery/shop: not reconciled yet",
      "",
      "No commits yet",
    ]);
  });

  test("shows when a closed gate opens, and why a candidate does not pass", () => {
    const stages = [
      {
        name: "dev",
        phase: "Proving",
        promotion: { name: "shop-dev-41", number: 1, revision: first, digest },
      },
      {
        name: "prod",
        phase: "Waiting",
        waiting: [{ gate: "Windows", message: "closed", until: "2026-11-24T08:00:00Z" }],
        problems: ["Release prod/web is suspended"],
      },
    ];
    const until = "2026-11-23T12:10:00Z";
    const proving = {
      ...aPromotion("dev", first, "Proving", 41),
      status: { phase: "Proving", waiting: "soaks", until },
    } as const;
    expect(formatPipeline(aPipeline({ ...status, stages }), [proving], { nowMs }).slice(2, 5)).toEqual([
      "STAGE  PHASE    RUNS  NEXT  MESSAGE",
      "dev    Proving  none  none  soaks (until 2026-11-23T12:10:00Z)",
      "prod   Waiting  none  none  Windows: closed (until 2026-11-24T08:00:00Z); Release prod/web is suspended",
    ]);
  });

  test("shows a Promotion without a status as being proven, and a request as requested", () => {
    const { status: _, ...started } = aPromotion("dev", first, "", 41);
    const candidates = [{ number: 1, ...commit(first, "Change", 40), releases: [] }];
    const outcomeOf = (spec: object): string =>
      formatPipeline(
        aPipeline({ ...status, candidates, stages: [] }),
        [{ ...started, spec: { ...started.spec, ...spec } }],
        { nowMs },
      ).join();
    expect(outcomeOf({ number: 1 })).toContain("proving");
    expect(outcomeOf({ number: undefined })).toContain("requested");
  });

  test("shows a commit once that a force push made the newest again", () => {
    const [opened, painted] = status.candidates;
    const again = { ...status, head: painted, candidates: [painted, opened, { ...painted, number: 3 }] };
    const rows = formatPipeline(aPipeline(again), [], { nowMs }).slice(-2);
    expect(rows.map((row) => row.slice(0, 2))).toEqual(["bb", "aa"]);
  });

  test("shows the results of a stage under its earlier names", () => {
    const { metadata, spec, ...rest } = aPipeline(status);
    const stages = [{ name: "dev" }, { name: "prod", formerly: ["live"] }];
    const renamed = { metadata, spec: { ...spec, stages }, ...rest } as unknown as PipelineObject;
    const promotions = [aPromotion("live", first, "Failed", 44), aPromotion("prod", first, "Passed", 45)];
    const last = (some: readonly PromotionObject[]) => formatPipeline(renamed, some, { nowMs }).at(-1);
    expect(last(promotions.slice(0, 1))).toMatch(/failed, runs/);
    expect(last(promotions)).toMatch(/passed, runs/);
  });

  test("counts omitted commits", () => {
    const candidates = Array.from({ length: 20 }, (_, index) => ({
      number: index + 1,
      ...commit(index.toString(16).padStart(40, "0"), "Change", 40),
      releases: [],
    }));
    const lines = formatPipeline(aPipeline({ ...status, candidates, stages: [] }), [], { nowMs });
    expect(lines.at(-1)).toBe("… and 6 more");
  });
});
