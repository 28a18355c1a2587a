import { expect, test } from "vitest";
import { compareRelease } from "../../../../cli/release/diff/compare-release.ts";
import type { Lifetime } from "../../../../crds/child-kind.ts";
import { builtInShapeOf } from "../../../../operator/engine/kind-shapes.ts";
import { aManifest, anOwner, asLive } from "../../../fakes/owned-objects.ts";
import { aDesiredSet } from "../../../fakes/plans.ts";

const labels = (value: string) => ({ ...aManifest().metadata.labels, x: value });

/** For an object whose label and content differ from the desired ones. */
async function compare(lifetime: Lifetime) {
  const live = asLive(aManifest({ metadata: { labels: labels("1") }, fields: { data: { a: "1" } } }));
  const desired = aDesiredSet([
    aManifest({ metadata: { labels: labels("2") }, fields: { data: { a: "2" } } }),
  ]);
  const applied: string[] = [];
  const [change] = await compareRelease({
    resource: anOwner(),
    shapeOf: builtInShapeOf,
    prepared: { ...desired, objects: desired.objects.map((object) => ({ ...object, lifetime })) },
    cluster: {
      read: async () => live,
      apply: async (_, manifest) => {
        applied.push(manifest.metadata.name);
        return asLive(manifest);
      },
    },
    kinds: {
      find: () => undefined,
      findGroupKind: () => undefined,
      explain: () => ({ message: "" }),
    },
  });
  const lines = change?.diff.split("\n").filter((line) => /^[-+] /.test(line));
  return { action: change?.action, lines, applied };
}

test("a run is compared by its labels, and nothing is sent as a dry run", async () => {
  const lines = ['-    x: "1"', '+    x: "2"'];
  expect(await compare("run")).toEqual({ action: "change", lines, applied: [] });
});

test("an object that is created once is not changed", async () => {
  expect(await compare("once")).toEqual({ action: "unchanged", lines: [], applied: [] });
});

test("any other object is sent as a dry run", async () => {
  const { action, applied } = await compare("kept");
  expect([action, applied]).toEqual(["change", ["web"]]);
});
