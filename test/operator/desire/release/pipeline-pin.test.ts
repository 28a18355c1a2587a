import { describe, expect, test } from "vitest";
import type { ReleaseResource } from "../../../../crds/release.ts";
import { findPinWait, pinOf, stageOf } from "../../../../operator/desire/release/pipeline-pin.ts";
import { aCommit, aRelease } from "../../../fakes/releases.ts";

const [pin, deployed, changed] = ["a", "b", "c"].map((digit) => aCommit(digit).id) as [
  string,
  string,
  string,
];
const source = (ref?: object) => ({ source: { url: "https://git.example/shop.git", ...(ref && { ref }) } });
const ofStage = source({ pipeline: "shop", stage: "prod" });
const having = (status: object) => ({ status: status as NonNullable<ReleaseResource["status"]> });

describe("stageOf()", () => {
  test("is the stage that the ref names, with the namespace of the Pipeline", () => {
    const ref = { pipeline: "shop", stage: "prod", namespace: "platform" };
    expect(stageOf(aRelease({ spec: source(ref) }).spec)).toEqual(ref);
    expect(stageOf(aRelease({ spec: source({ branch: "main" }) }).spec)).toBeUndefined();
    expect(stageOf({})).toBeUndefined();
  });
});

describe("pinOf()", () => {
  test.for([
    { case: "the pin of any Release", spec: { revision: pin }, status: {}, is: pin },
    { case: "undefined without a pin", spec: {}, status: { revision: changed }, is: undefined },
    {
      case: "the pin of a Release of a stage",
      spec: { ...ofStage, revision: pin },
      status: { revision: changed },
      is: pin,
    },
    {
      case: "the deployed commit, if the pin of a Release of a stage was removed",
      spec: ofStage,
      status: { revision: changed, deployed: { revision: deployed, tree: "t" } },
      is: deployed,
    },
    {
      case: "the deployed commit, if only an earlier version of the operator recorded it",
      spec: ofStage,
      status: { revision: changed },
      is: changed,
    },
    { case: "undefined before the first deployment", spec: ofStage, status: {}, is: undefined },
  ])("is $case", ({ spec, status, is }) => {
    expect(pinOf(aRelease({ spec, ...having(status) }))).toBe(is);
  });
});

describe("findPinWait()", () => {
  test("names the Pipeline and the stage that a Release without any commit waits for", () => {
    expect(findPinWait(aRelease({ spec: ofStage }))).toMatchObject({
      state: "waiting",
      reason: "PinPending",
      message: "Waiting for Pipeline shop, stage prod to set spec.revision",
    });
    const elsewhere = source({ pipeline: "shop", stage: "prod", namespace: "platform" });
    expect(findPinWait(aRelease({ spec: elsewhere }))).toMatchObject({
      message: "Waiting for Pipeline platform/shop, stage prod to set spec.revision",
    });
  });

  test.for([{ spec: {} }, { spec: { ...ofStage, revision: pin } }])("does not hold up %j", ({ spec }) => {
    expect(findPinWait(aRelease({ spec }))).toBeUndefined();
  });
});
