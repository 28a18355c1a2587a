import { expect, test } from "vitest";
import { ReleaseAges } from "../../../../operator/desire/release/release-ages.ts";
import { aRelease } from "../../../fakes/releases.ts";

const made = (name: string, second: number, namespace = "shop") => {
  const release = aRelease({ name, namespace });
  const creationTimestamp = `2026-11-22T12:00:0${second}Z`;
  return { ...release, metadata: { ...release.metadata, creationTimestamp } };
};

test("ReleaseAges counts the older Releases of a namespace, for any order of events", () => {
  const ages = new ReleaseAges();
  const [old, twin, young] = [made("old", 1), made("twin", 2), made("young", 2)];
  for (const release of [young, old, twin, old, made("else", 0, "other")]) ages.add(release);
  expect([old, twin, young].map((release) => ages.olderThan(release))).toEqual([0, 1, 2]);
  expect(ages.at("shop", 1)).toBe("shop/twin");

  ages.remove(old);
  ages.remove(old);
  expect([twin, young].map((release) => ages.olderThan(release))).toEqual([0, 1]);
  expect(ages.at("shop", 2)).toBeUndefined();
});
