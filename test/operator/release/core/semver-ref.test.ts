import { describe, expect, test } from "vitest";
import { chooseTag, isSemverRange } from "../../../../operator/release/core/semver-ref.ts";

describe("chooseTag()", () => {
  test.for([
    { range: "*", tags: ["v1.0.0", "v1.10.0", "v1.9.0"], chosen: "v1.10.0" },
    { range: "~1.2", tags: ["1.2.9", "1.3.0", "latest", ""], chosen: "1.2.9" },
    { range: ">=1.0.0 <2.0.0", tags: ["v2.0.0", "v0.9.0"], chosen: undefined },
    { range: "^1.0.0", tags: ["v1.1.0-rc.1", "v1.0.0"], chosen: "v1.0.0" },
    { range: ">=1.1.0-0", tags: ["v1.1.0-rc.1", "v1.1.0-rc.10", "v1.0.0"], chosen: "v1.1.0-rc.10" },
    { range: "*", tags: ["v1.0.0", "1.0.0"], chosen: "1.0.0" },
    { range: "*", tags: ["1.0.0", "v1.0.0"], chosen: "1.0.0" },
    { range: "*", tags: ["1.0.0+b", "1.0.0+a"], chosen: "1.0.0+b" },
  ])("of $tags in $range takes $chosen", ({ range, tags, chosen }) => {
    expect(chooseTag(tags, range)).toBe(chosen);
    expect(chooseTag(tags.toReversed(), range)).toBe(chosen);
  });
});

test.for([
  ["^1.2", true],
  ["", true],
  [">=1 <2 || 3.x", true],
  ["main", false],
  ["--upload-pack=x", false],
] as const)("isSemverRange() says of %j: %j", ([range, is]) => {
  expect(isSemverRange(range)).toBe(is);
});
