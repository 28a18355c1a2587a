import { describe, expect, test } from "vitest";
import {
  differingParts,
  nameDifferences,
  PART_DIGITS,
  PARTS,
  rulesDigestOf,
} from "../../../../crds/stage-differences.ts";
import { compareManifests } from "../../../../operator/desire/release/compare-manifests.ts";
import type { Manifest } from "../../../../synth/manifest.ts";
import { aDesiredSet } from "../../../fakes/plans.ts";
import { aSourceManifest } from "../../../fakes/releases.ts";

const map = (data: object, name = "web") => aSourceManifest("v1", "ConfigMap", name, { fields: { data } });
const secret = (password: string) =>
  aSourceManifest("v1", "Secret", "db", { fields: { stringData: { password }, type: "Opaque" } });

function compared(manifests: readonly Manifest[], parts?: readonly number[]) {
  const compare = [{ differences: [], ...(parts && { parts: [...parts] }) }];
  const [one] = compareManifests(aDesiredSet(manifests), { home: "shop", compare });
  if (one === undefined) throw new Error("nothing is compared");
  return one;
}

/** What a Pipeline learns: the parts that differ, then the fields in them. */
function named(ours: readonly Manifest[], theirs: readonly Manifest[]): readonly string[] {
  const parts = differingParts(compared(ours).parts, compared(theirs).parts);
  const fieldsOf = (manifests: readonly Manifest[]) =>
    (compared(manifests, parts).listed ?? []).flatMap(({ fields }) => fields);
  return nameDifferences(fieldsOf(ours), fieldsOf(theirs));
}

describe("compareManifests", () => {
  test("returns a digest for each list of declared differences, with the digest of the list", () => {
    const differences = [{ kind: "ConfigMap", fields: ["data.a"] }];
    const of = (a: string) =>
      compareManifests(aDesiredSet([map({ a })]), {
        home: "shop",
        compare: [{ differences }, { differences: [] }],
      });
    const [first, second] = [of("1"), of("2")];
    expect(first.map(({ rules }) => rules)).toEqual([rulesDigestOf(differences), rulesDigestOf([])]);
    expect(first[0]).toEqual(second[0]);
    expect(first[1]?.digest).not.toBe(second[1]?.digest);
  });

  test("lists the fields in which two Releases differ, for any number of fields", () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, "1"]));
    const ours = [map({ ...many, level: "info" }), map({}, "flags")];
    const theirs = [map({ ...many, level: "debug" })];
    expect(named(ours, theirs)).toEqual(["ConfigMap flags (only here)", "ConfigMap web: data.level"]);
    expect(compared(ours).parts).toHaveLength(PARTS * PART_DIGITS);
  });

  test("contains no values, and of the values of Secrets only the digest of all fields", () => {
    const [ours, theirs] = [
      compared([map({ a: "hello" }), secret("one")]),
      compared([map({ a: "hello" }), secret("two")]),
    ];
    expect(ours.digest).not.toBe(theirs.digest);
    expect(ours.parts).toBe(theirs.parts);
    const all = Array.from({ length: PARTS }, (_, part) => part);
    const text = JSON.stringify(compared([map({ a: "hello" }), secret("one")], all));
    expect(text).toContain('"field":"data.a"');
    expect(text).not.toContain("hello");
    expect(text).not.toContain("password");
  });

  test("lists only complete parts, up to the limit", () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, "1"]));
    const all = Array.from({ length: PARTS }, (_, part) => part);
    const listed = compared([map(many)], all).listed ?? [];
    const fields = listed.flatMap((part) => part.fields);
    expect(fields.length).toBeGreaterThan(50);
    expect(fields.length).toBeLessThanOrEqual(96);
    for (const { part, fields: own } of listed)
      expect(compared([map(many)], [part]).listed?.[0]?.fields).toEqual(own);
  });
});
