import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { acts, makePoints } from "../../../../rig/faults/pipelines/points.ts";
import { PushedContents } from "../../../../rig/faults/pipelines/pushed-contents.ts";

const anySeed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe("makePoints()", () => {
  test("creates the same points for the same seed, and others for another", () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        expect(makePoints(seed, 5)).toEqual(makePoints(seed, 5));
      }),
    );
    expect(makePoints(1, 5)).not.toEqual(makePoints(2, 5));
  });

  test("has in its first 200 points every action, kills before and after a write and by time, and actions while the operator is down", () => {
    const points = makePoints(1, 200);
    expect(new Set(points.flatMap((point) => point.acts))).toEqual(new Set(acts));
    expect(new Set(points.flatMap(({ whileDown }) => whileDown))).toEqual(new Set(acts));
    expect(new Set(points.map(({ atWrite }) => atWrite === undefined)).size).toBe(2);
    expect(new Set(points.map(({ isBefore }) => isBefore)).size).toBe(2);
    expect(new Set(points.map((point) => point.acts.length))).toEqual(new Set([1, 2]));
  });

  test("kills with a write that the first act comes to, up to the last one", () => {
    const points = makePoints(1, 2_000);
    const lastOf = (act: (typeof acts)[number]): number =>
      Math.max(...points.flatMap((point) => (point.acts[0] === act ? (point.atWrite ?? []) : [])));
    // As recorded: see rig/faults/pipelines/record.ts.
    expect(Object.fromEntries(acts.map((act) => [act, lastOf(act)]))).toEqual({
      "push all": 32,
      "push staging": 18,
      "push prod": 15,
      "push nothing": 7,
      "push a revert": 31,
      "go back": 20,
    });
  });
});

describe("PushedContents", () => {
  test("changes the stages that an action names, and a file that no stage uses", () => {
    const pushed = new PushedContents();
    const versionsAfter = (act: (typeof acts)[number]) => {
      const files = pushed.filesFor(act);
      return { ...pushed.now, readme: files?.["shop/README"], config: files?.["shop/prod/config.json"] };
    };
    expect(versionsAfter("push all")).toMatchObject({ dev: 1, staging: 1, prod: 1, readme: "Push 1\n" });
    expect(versionsAfter("push prod")).toMatchObject({ dev: 1, staging: 1, prod: 2 });
    expect(versionsAfter("push staging")).toMatchObject({ dev: 1, staging: 3, prod: 2 });
    const reverted = versionsAfter("push a revert");
    expect(reverted).toMatchObject({ dev: 1, staging: 1, prod: 2, readme: "Push 4\n" });
    expect(reverted.config).toContain('"version": "2"');
    expect(versionsAfter("push nothing")).toMatchObject({ dev: 1, staging: 1, prod: 2, readme: "Push 5\n" });
    expect(pushed.filesFor("go back")).toBeUndefined();
    pushed.note("c5");
    expect(pushed.commits).toEqual(new Map([["c5", { dev: 1, staging: 1, prod: 2 }]]));
  });
});
