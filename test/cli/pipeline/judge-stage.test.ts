import { describe, expect, test } from "vitest";
import { judgeStage, type RenderedAgain } from "../../../cli/pipeline/judge-stage.ts";
import type { PromotionObject } from "../../../cli/pipeline/pipeline-text.ts";
import { stageDigestOf } from "../../../crds/stage-digest.ts";

const revision = "a".repeat(40);
const webDigest = "1".repeat(32);
const stageDigest = stageDigestOf([{ namespace: "prod", name: "web", digest: webDigest }]);
const stagingDigest = "2".repeat(32);

const web: RenderedAgain = {
  name: "web",
  namespace: "prod",
  deployed: { revision, digest: webDigest },
  digest: webDigest,
  error: undefined,
};

function aPromotion(spec: object, phase = "Passed"): PromotionObject {
  return {
    metadata: { name: "shop-promotion" },
    spec: { pipeline: "shop", revision, ...spec },
    status: { phase },
  } as PromotionObject;
}

const inProd = { stage: "prod", digest: stageDigest };
const inStaging = aPromotion({ stage: "staging", digest: stagingDigest });
const before = [{ stage: "staging", digest: stagingDigest }];

describe("a stage", () => {
  test("is proven if git renders to the digest that it runs, and it and the earlier stages have passed it", () => {
    const approvals = [{ by: "ann" }, { by: "bea" }];
    const proof = judgeStage(
      { stage: "prod", before },
      [web],
      [inStaging, aPromotion({ ...inProd, approvals })],
    );
    expect(proof.isProven).toBe(true);
    expect(proof.findings.map(({ text }) => text)).toEqual([
      `Release prod/web runs what aaaaaaaaaa renders to (${webDigest})`,
      `stage prod passed its digest ${stageDigest} with Promotion shop-promotion; approved by ann, bea`,
      `stage staging passed ${stagingDigest}, to which aaaaaaaaaa renders there, with Promotion shop-promotion`,
    ]);
  });

  test("reports which gates were skipped, by whom and why", () => {
    const hotfix = aPromotion({ ...inProd, bypass: ["Order", "Soak"], by: "ann", reason: "outage" });
    const { findings } = judgeStage({ stage: "prod", before: [] }, [web], [hotfix]);
    expect(findings.at(-1)?.text).toMatch(/; ann skipped Order, Soak: outage$/);
  });

  test.each([
    {
      does: "git renders to another digest",
      release: { ...web, digest: "9".repeat(32) },
      promotions: [inStaging, aPromotion(inProd)],
      says: /but aaaaaaaaaa renders to 9+: the inputs or the version of the operator differ$/,
    },
    {
      does: "its commit cannot be rendered",
      release: { ...web, digest: undefined, error: "main.ts:1:1: no" },
      promotions: [inStaging, aPromotion(inProd)],
      says: /cannot be rendered: main\.ts:1:1: no$/,
    },
    {
      does: "a Release has not deployed any commit",
      release: { ...web, deployed: undefined },
      promotions: [inStaging, aPromotion(inProd)],
      says: /has not fully deployed any commit$/,
    },
    {
      does: "its digest has not passed",
      release: web,
      promotions: [inStaging, aPromotion(inProd, "Proving")],
      says: /stage prod has not passed its digest/,
    },
    {
      does: "an earlier stage has not passed the commit's digest in that stage",
      release: web,
      promotions: [aPromotion({ stage: "staging", digest: "3".repeat(32) }), aPromotion(inProd)],
      says: /stage staging has not passed 2+/,
    },
  ])("is not proven if $does", ({ release, promotions, says }) => {
    const { isProven, findings } = judgeStage({ stage: "prod", before }, [release], promotions);
    expect(isProven).toBe(false);
    expect(findings.filter(({ holds }) => !holds).map(({ text }) => text)).toEqual([
      expect.stringMatching(says),
    ]);
  });

  const comparison = (more: object = {}) => ({
    problems: [],
    releases: [
      {
        release: "prod/web",
        other: "staging/web",
        before: "staging",
        rules: "r",
        digest: "c".repeat(32),
        otherDigest: "c".repeat(32),
        undeclared: [],
        declared: ["Deployment web: spec.replicas"],
        ...more,
      },
    ],
  });
  const recorded = (digest: string) => [{ release: "prod/web", compared: [{ rules: "r", digest }] }];

  test("equals the earlier stage except for declared differences, with the digest that the Pipeline recorded", () => {
    const judged = { stage: "prod", before, comparison: comparison(), recorded: recorded("c".repeat(32)) };
    const { isProven, findings } = judgeStage(judged, [web], [inStaging, aPromotion(inProd)]);
    expect(isProven).toBe(true);
    expect(findings.at(-1)?.text).toBe(
      `Release prod/web equals Release staging/web of stage staging except for declared differences (${"c".repeat(32)}): Deployment web: spec.replicas`,
    );
  });

  test.each([
    {
      does: "it has undeclared differences",
      more: { otherDigest: "d".repeat(32), undeclared: ["Deployment web: spec.paused"] },
      digest: "c".repeat(32),
      says: /\(c+\) differs from Release staging\/web of stage staging \(d+\) in undeclared fields: Deployment web: spec\.paused$/,
    },
    {
      does: "the Pipeline recorded another digest",
      more: {},
      digest: "e".repeat(32),
      says: /has the digest c+, and the Pipeline recorded e+$/,
    },
  ])("is not proven if $does", ({ more, digest, says }) => {
    const judged = { stage: "prod", before, comparison: comparison(more), recorded: recorded(digest) };
    const { isProven, findings } = judgeStage(judged, [web], [inStaging, aPromotion(inProd)]);
    expect(isProven).toBe(false);
    expect(findings.filter(({ holds }) => !holds).map(({ text }) => text)).toEqual([
      expect.stringMatching(says),
    ]);
  });

  test("has passed a digest also under an earlier name, and so has a stage before it", () => {
    const judged = {
      stage: "prod",
      formerly: ["production"],
      before: [{ stage: "staging", formerly: ["test"], digest: stagingDigest }],
    };
    const old = aPromotion({ ...inProd, stage: "production" });
    const inTest = aPromotion({ stage: "test", digest: stagingDigest });
    expect(judgeStage(judged, [web], [inTest, old]).isProven).toBe(true);
    expect(judgeStage({ ...judged, formerly: [] }, [web], [inTest, old]).isProven).toBe(false);
  });

  test("has not passed a digest whose last attempt failed", () => {
    const failed = aPromotion({ stage: "staging", digest: stagingDigest, number: 2 }, "Failed");
    const again = aPromotion({ stage: "staging", digest: stagingDigest, number: 3 }, "Passed");
    const proving = aPromotion({ stage: "staging", digest: stagingDigest, number: 4 }, "Proving");
    const isProven = (...more: readonly PromotionObject[]) =>
      judgeStage({ stage: "prod", before }, [web], [inStaging, aPromotion(inProd), ...more]).isProven;
    expect(isProven(failed)).toBe(false);
    expect(isProven(failed, again)).toBe(true);
    expect(isProven(proving)).toBe(true);
  });

  test("is not proven without a Release, or if the commit cannot be rendered for an earlier stage", () => {
    expect(judgeStage({ stage: "prod", before: [] }, [], []).isProven).toBe(false);
    const unknown = [{ stage: "staging", digest: undefined }];
    expect(judgeStage({ stage: "prod", before: unknown }, [web], [aPromotion(inProd)]).isProven).toBe(false);
  });
});
