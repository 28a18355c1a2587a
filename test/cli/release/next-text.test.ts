import { describe, expect, test } from "vitest";
import { describeNext } from "../../../cli/release/next-text.ts";
import type { NextPlan } from "../../../crds/release.ts";
import { aCommit } from "../../fakes/releases.ts";

const text = (next?: Partial<NextPlan>) =>
  describeNext({ status: { ...(next && { next: { revision: aCommit("a").id, ...next } }) } } as never);

describe("describeNext()", () => {
  test("is empty without a plan", () => {
    expect(text()).toEqual([]);
    expect(describeNext({})).toEqual([]);
  });

  test("describes the effect of the commit", () => {
    const counts = { create: 1, change: 2, delete: 0, held: 0, mutableImages: 0 };
    expect(text(counts)).toEqual(["commit aaaaaaaaaa is planned: 1 to create, 2 to change, 0 to delete"]);
    expect(text({ ...counts, held: 3, mutableImages: 1 })).toEqual([
      "commit aaaaaaaaaa is planned: 1 to create, 2 to change, 0 to delete, 3 to delete after approval, 1 image without a digest",
    ]);
  });

  test("describes why the commit cannot be applied", () => {
    expect(text({ error: "no Secret" })).toEqual([
      "commit aaaaaaaaaa is planned, and cannot be applied: no Secret",
    ]);
  });
});
