import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DesiredReleases } from "../../../../rig/faults/releases/desired-releases.ts";
import { makeObjects, makePoints, releaseNames } from "../../../../rig/faults/releases/points.ts";
import { limitRuns } from "../../../long.ts";

const anySeed = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const places = { own: "own", elsewhere: "elsewhere" };

describe("makePoints()", () => {
  test("creates the same points for the same seed, and others for another", () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        expect(makePoints(seed, 5)).toEqual(makePoints(seed, 5));
      }),
    );
    expect(makePoints(1, 5)).not.toEqual(makePoints(2, 5));
  });

  test("has in its first 200 points kills by write and by time, with and without changes while the operator is down", () => {
    const points = makePoints(1, 200);
    const done = new Set(points.flatMap(({ actions }) => actions.map(({ does }) => does)));
    expect([...done].toSorted()).toEqual(["delete", "edit", "fill", "prune", "recreate", "replace"]);
    expect(new Set(points.map(({ atWrite }) => atWrite === undefined)).size).toBe(2);
    expect(new Set(points.map(({ whileDown }) => whileDown.length))).toEqual(new Set([0, 1, 2]));
  });
});

describe("DesiredReleases", () => {
  test("desires no object twice, never an empty folder, and exactly the objects of the files", () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const desired = new DesiredReleases();
        for (const { actions, whileDown } of makePoints(seed, 8)) {
          for (const action of [...actions, ...whileDown]) desired.change(action);
          for (const [release, objects] of desired.folders) {
            expect(objects.length).toBeGreaterThan(0);
            expect(Object.keys(desired.filesOf(release, places))).toHaveLength(objects.length);
          }
          const wanted = [...desired.releases].map((release) => desired.folders.get(release)?.length ?? 0);
          expect(desired.expected(places).size).toBe(wanted.reduce((sum, count) => sum + count, 0));
        }
      }),
      { numRuns: limitRuns(30) },
    );
  });

  test("names of objects contain their Release", () => {
    fc.assert(
      fc.property(fc.constantFrom(...releaseNames), anySeed, (release, choice) => {
        for (const { name } of makeObjects(release, choice)) expect(name).toMatch(new RegExp(`^${release}-`));
      }),
    );
  });
});
