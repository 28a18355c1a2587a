import { describe, expect, test } from "vitest";
import { compareStage, formatComparison, isDifferent } from "../../../cli/pipeline/compare-stages.ts";
import type { PipelineObject } from "../../../cli/pipeline/pipeline-object.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { compareManifests } from "../../../operator/desire/release/compare-manifests.ts";
import { aDesiredSet } from "../../fakes/plans.ts";
import { aSourceManifest } from "../../fakes/releases.ts";

const differences = [{ kind: "ConfigMap", fields: ["data.replicas"] }];

function aPipeline(prod: object): PipelineObject {
  const stages = [
    { name: "staging", releases: [{ name: "web", namespace: "staging" }] },
    { name: "prod", releases: [{ name: "web", namespace: "prod" }], ...prod },
  ];
  const spec = Pipeline.spec.parse({ source: { url: "https://git.test/shop.git" }, stages });
  return { metadata: { name: "shop", namespace: "delivery", uid: "p" }, spec } as PipelineObject;
}

const rendered = (namespace: string, data: object, secret = "same") => ({
  prepared: aDesiredSet([
    aSourceManifest("v1", "ConfigMap", "web", { namespace, fields: { data } }),
    aSourceManifest("v1", "Secret", "db", { namespace, fields: { stringData: { password: secret } } }),
  ]),
  home: namespace,
});

const compared = (prod: object, secret?: string) =>
  compareStage(
    aPipeline({ differences }),
    "prod",
    new Map([
      ["staging/web", rendered("staging", { replicas: "1" })],
      ["prod/web", rendered("prod", prod, secret)],
    ]),
  );

describe("compareStage", () => {
  test("names declared differences, and returns the digest that the operator computes", () => {
    const comparison = compared({ replicas: "3" });
    const { prepared, home } = rendered("prod", { replicas: "3" });
    const [theirs] = compareManifests(prepared, { home, compare: [{ differences }] });
    expect(comparison).toEqual({
      releases: [
        {
          release: "prod/web",
          other: "staging/web",
          before: "staging",
          rules: theirs?.rules,
          digest: theirs?.digest,
          otherDigest: theirs?.digest,
          undeclared: [],
          declared: ["ConfigMap web: data.replicas"],
        },
      ],
      problems: [],
    });
    expect(isDifferent(comparison)).toBe(false);
    expect(formatComparison("prod", comparison)).toEqual([
      "Stage prod: Release prod/web differs from Release staging/web of stage staging in ConfigMap web: data.replicas, as declared",
    ]);
  });

  test("names undeclared differences, also of Secrets, and shows no values", () => {
    const comparison = compared({ replicas: "3", level: "debug" }, "hunter2");
    expect(isDifferent(comparison)).toBe(true);
    const lines = formatComparison("prod", comparison);
    const title = "Stage prod: Release prod/web differs from Release staging/web of stage staging in";
    expect(lines).toEqual([
      `${title} ConfigMap web: data.level, which is not declared`,
      `${title} Secret db: stringData.password, which is not declared`,
      `${title} ConfigMap web: data.replicas, as declared`,
    ]);
    expect(JSON.stringify(comparison)).not.toMatch(/debug|hunter2/);
  });

  test("pairs objects without their names if these are declared, and names the differences in a pair", () => {
    const named = (name: string, replicas: string) => ({
      prepared: aDesiredSet([aSourceManifest("v1", "ConfigMap", name, { fields: { data: { replicas } } })]),
      home: "shop",
    });
    const comparison = compareStage(
      aPipeline({ differences: [{ fields: ["metadata.name", "data.replicas"] }] }),
      "prod",
      new Map([
        ["staging/web", named("web-staging", "1")],
        ["prod/web", named("web-prod", "3")],
      ]),
    );
    expect(comparison?.releases).toMatchObject([
      { undeclared: [], declared: ["ConfigMap #1: data.replicas"] },
    ]);
  });

  test("says that names can be declared where objects of a kind have other names in each stage", () => {
    const named = (name: string) => ({
      prepared: aDesiredSet([aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x: "1" } } })]),
      home: "shop",
    });
    const rendered = new Map([
      ["staging/web", named("web-staging")],
      ["prod/web", named("web-prod")],
    ]);
    const title = "Stage prod: Release prod/web differs from Release staging/web of stage staging in";
    const advice = "; if such objects are the same under two names, declare metadata.name";
    expect(formatComparison("prod", compareStage(aPipeline({ differences: [] }), "prod", rendered))).toEqual([
      `${title} ConfigMap web-prod (only here), which is not declared`,
      `${title} ConfigMap web-staging (only there), which is not declared${advice}`,
    ]);
  });

  test("names missing objects", () => {
    const comparison = compareStage(aPipeline({ differences }), "prod", new Map());
    expect(isDifferent(comparison)).toBe(true);
    expect(formatComparison("prod", comparison)).toEqual([
      'Stage prod: Release "prod/web" cannot be compared with Release "staging/web": one of them is not rendered',
    ]);
  });

  test("does not compare a stage without `differences`", () => {
    expect(compareStage(aPipeline({}), "prod", new Map())).toBeUndefined();
    expect(isDifferent(undefined)).toBe(false);
    expect(formatComparison("prod", undefined)).toEqual([]);
  });
});
