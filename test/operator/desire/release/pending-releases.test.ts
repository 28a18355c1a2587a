import { expect, test } from "vitest";
import { PendingReleases } from "../../../../operator/desire/release/pending-releases.ts";

test("PendingReleases counts the others of a namespace that are pending, until they are not or are deleted", () => {
  const pending = new PendingReleases();
  expect(pending.note("shop/a", true)).toBe(0);
  expect(pending.note("shop/b", true)).toBe(1);
  expect(pending.note("shop/b", true)).toBe(1);
  expect(pending.note("shop/c", false)).toBe(2);
  expect(pending.note("shop/b", false)).toBe(1);
  expect(pending.note("other/a", true)).toBe(0);
  pending.forget("shop/a");
  expect(pending.note("shop/c", false)).toBe(0);
});
