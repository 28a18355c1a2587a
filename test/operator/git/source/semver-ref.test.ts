import { describe, expect, test } from "vitest";
import { chooseTag, isSemverRange } from "../../../../operator/git/source/semver-ref.ts";

/** The tag, and the number of pauses of the choice. */
function choose(tags: readonly string[], range: string) {
  const choosing = chooseTag(tags, range);
  for (let pauses = 0; ; pauses++) {
    const step = choosing.next();
    if (step.done === true) return { tag: step.value, pauses };
  }
}

describe("chooseTag()", () => {
  test.for([
    { range: "*", tags: ["v1.0.0", "v1.10.0", "v1.9.0"], chosen: "v1.10.0" },
    { range: "~1.2", tags: ["1.2.9", "1.3.0", "latest", ""], chosen: "1.2.9" },
    { range: ">=1.0.0 <2.0.0", tags: ["v2.0.0", "v0.9.0"], chosen: undefined },
    { range: "^1.0.0", tags: ["v1.1.0-rc.1", "v1.0.0"], chosen: "v1.0.0" },
    { range: ">=1.1.0-0", tags: ["v1.1.0-rc.1", "v1.1.0-rc.10", "v1.0.0"], chosen: "v1.1.0-rc.10" },
    { range: "*", tags: ["v1.0.0", "1.0.0"], chosen: "1.0.0" },
    { range: "*", tags: ["1.0.0", "v1.0.0"], chosen: "1.0.0" },
    {
      range: "*",
      tags: ["v1", "v1.2", "v01.2.3", "1.2.3.4", "1.2.3-", "vv1.0.0", "2.0.0x"],
      chosen: undefined,
    },
    { range: "*", tags: ["1.0.0+b", "1.0.0+a"], chosen: "1.0.0+b" },
  ])("chooses $chosen of $tags for $range", ({ range, tags, chosen }) => {
    expect(choose(tags, range).tag).toBe(chosen);
    expect(choose(tags.toReversed(), range).tag).toBe(chosen);
  });

  test("pauses every 500 tags, for any names", () => {
    const tags = Array.from({ length: 100_000 }, (_, index) =>
      index % 2 === 0 ? `v1.${index}.0` : `x${index}`,
    );
    expect(choose(tags, "<1.60000")).toEqual({ tag: "v1.59998.0", pauses: 200 });
  });
});

test.for([
  ["^1.2", true],
  ["", true],
  [">=1 <2 || 3.x", true],
  ["main", false],
  ["--upload-pack=x", false],
] as const)("isSemverRange() returns for %j: %j", ([range, is]) => {
  expect(isSemverRange(range)).toBe(is);
});
