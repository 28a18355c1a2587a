import { describe, expect, test } from "vitest";
import { describeIgnored } from "../../../../operator/desire/release/ignored.ts";
import { aCommit, aRelease } from "../../../fakes/releases.ts";

const [pin, other] = [aCommit("a").id, aCommit("b").id];
const from = (ref: object) => ({ source: { url: "https://git.example/shop.git", ref } });

describe("describeIgnored()", () => {
  test.for([
    { case: "a Release that follows its source", spec: {}, ignored: undefined },
    { case: "a pin", spec: { revision: pin }, ignored: "branch main" },
    { case: "a pin before a tag", spec: { revision: pin, ...from({ tag: "v1" }) }, ignored: "tag v1" },
    {
      case: "a pin before a range",
      spec: { revision: pin, ...from({ semver: "1.x" }) },
      ignored: "tags in 1.x",
    },
    {
      case: "a pin before another commit",
      spec: { revision: pin, ...from({ commit: other }) },
      ignored: "commit bbbbbbbbbbbb",
    },
    {
      case: "a pin to the commit of the source",
      spec: { revision: pin, ...from({ commit: pin }) },
      ignored: undefined,
    },
    { case: "a Release that is suspended", spec: { suspend: true }, ignored: "everything" },
  ])("of $case: $ignored", ({ spec, ignored }) => {
    expect(describeIgnored(aRelease({ spec }))).toBe(ignored);
  });

  test("accepts an invalid spec", () => {
    expect(describeIgnored({ spec: { revision: pin } })).toBe("branch main");
  });
});
