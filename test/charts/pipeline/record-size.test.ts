import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mostRecordBytes } from "../../../charts/pipeline/record-size.ts";
import { storedBytes } from "../../../charts/pipeline/stored-text.ts";
import { RecordModel, revisionOf, stageNames } from "./record-model.ts";

const aStageName = fc.constantFrom(...stageNames);
const aText = fc
  .constantFrom("a", "語", "<\u0000\ud83d")
  .chain((text) => fc.nat(2_000).map((times) => text.repeat(times)));

type Step = (model: RecordModel) => void;

const anAction: fc.Arbitrary<Step> = fc
  .record({
    stage: aStageName,
    age: fc.nat(6),
    what: fc.constantFrom(
      "start",
      "start",
      "passedAt",
      "passedAt",
      "failedAt",
      "Approve",
      "Reject",
      "request",
    ),
  })
  .map(({ stage, age, what }) => (model) => {
    if (what === "start") model.start(stage);
    else if (what === "request") model.request(stage, age);
    else if (what === "passedAt" || what === "failedAt") model.finish(stage, what);
    else model.approve(stage, age, what);
  });

/** A commit, its plans, and what users and Releases do then. */
const aRound: fc.Arbitrary<readonly Step[]> = fc
  .record({
    stages: fc.subarray(stageNames, { minLength: 1 }),
    text: aText,
    share: fc.constantFrom(10, 10, 5),
    error: fc.option(aText, { freq: 3, nil: undefined }),
    actions: fc.array(anAction, { maxLength: 3 }),
  })
  .map(({ stages, text, share, error, actions }) => [
    (model: RecordModel) => model.push(stages, text),
    (model: RecordModel) => model.plan(share, error),
    ...actions,
    // The others plan late.
    (model: RecordModel) => model.plan(10, error),
  ]);

function check(model: RecordModel, step: Step): void {
  const before = model.record.candidates ?? [];
  step(model);
  model.fold();
  const { record } = model;
  expect(storedBytes(record)).toBeLessThanOrEqual(mostRecordBytes);
  // The API server replaces halves of characters.
  expect(JSON.stringify(record)).not.toContain("\\ud83d");
  const left = record.candidates ?? [];
  const removed = before.filter(({ number }) => !left.some((one) => one.number === number));
  const both = [...removed, ...left].toSorted((a, b) => a.number - b.number);
  const needed = model.needed({ ...record, candidates: both });
  expect(removed.filter(({ revision }) => needed.has(revision))).toEqual([]);
}

/** A commit that all Releases plan that are not suspended. */
function follow(model: RecordModel, text: string, error?: string): void {
  model.push(stageNames, text);
  model.fold();
  model.plan(10, error);
  model.fold();
}

const numbersOf = ({ record }: RecordModel) => record.candidates?.map(({ number }) => number) ?? [];

describe("the record of a Pipeline", () => {
  test("stays below 768 KiB, and keeps what stages run, prove, start next or were asked for, and what is approved", () => {
    fc.assert(
      fc.property(fc.array(aRound, { minLength: 7, maxLength: 9 }), (rounds) => {
        const model = new RecordModel({ releases: 120, nameLength: 250 });
        for (const step of rounds.flat()) check(model, step);
      }),
      { numRuns: 2 },
    );
  });

  test("accepts no commit while what is needed is too large, says so, and goes on when there is room", () => {
    const model = new RecordModel({ releases: 70, nameLength: 250 });
    const commit = (number: number) => {
      follow(model, `${number}`);
      model.approve("prod", 0, "Approve");
    };
    let last = 0;
    while (model.record.candidates?.length === last || last === 0) commit(++last);
    // Each is approved, so none is removed.
    const revision = revisionOf(last);
    expect(last).toBeGreaterThan(5);
    expect(model.record.candidates?.map((one) => one.number)).toEqual(
      Array.from({ length: last - 1 }, (_, at) => at + 1),
    );
    const text = `${revision.slice(0, 12)} does not become a candidate, because its plans do not fit`;
    expect(model.verdict()).toMatchObject({ status: "Failed", message: expect.stringContaining(text) });
    model.withdrawApprovals();
    model.fold();
    expect(model.record.candidates?.at(-1)?.revision).toBe(revision);
    expect(model.verdict()?.message).not.toContain("does not fit");
  });

  test("has the errors of 8 Releases, and says of others that they have not planned the commit", () => {
    const model = new RecordModel({ releases: 10, nameLength: 20 });
    follow(model, "1", "boom ".repeat(200));
    const errors = model.record.candidates?.at(-1)?.releases.flatMap(({ error }) => error ?? []) ?? [];
    expect(errors).toHaveLength(10);
    const other = "not planned: see status.next of the Release";
    expect(errors.filter((text) => text === other)).toHaveLength(2);
    expect(
      errors.filter((text) => text.startsWith("boom") && text.endsWith("…") && text.length < 300),
    ).toHaveLength(8);
  });

  test("has room for the plans of Releases that are suspended while commits are accepted", () => {
    const model = new RecordModel({ releases: 90, nameLength: 250 });
    model.isSuspended = true;
    for (let number = 1; number <= 14; number++) {
      follow(model, `${number}`);
      model.approve("dev", 0, "Approve");
    }
    model.isSuspended = false;
    // Each Release plans one commit after another.
    for (let plans = 0; plans < 24; plans++) {
      model.plan(10, undefined);
      model.fold();
    }
    expect(model.record.candidates?.map(({ releases }) => releases.length)).toEqual(
      numbersOf(model).map(() => 270),
    );
    expect(storedBytes(model.record)).toBeLessThanOrEqual(mostRecordBytes);
  });

  test("keeps the next candidate of a stage behind commits that cannot be planned", () => {
    const model = new RecordModel({ releases: 4, nameLength: 20 });
    follow(model, "1");
    for (let number = 2; number <= 15; number++) follow(model, `${number}`, "boom");
    expect(numbersOf(model)).toEqual([1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  test("keeps the commit that a user has requested", () => {
    const model = new RecordModel({ releases: 1, nameLength: 20 });
    follow(model, "1");
    model.request("prod", 0);
    for (let number = 2; number <= 15; number++) follow(model, `${number}`);
    expect(numbersOf(model)).toEqual([1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  test("accepts a new commit although there is no room for an older one that a user has requested", () => {
    const model = new RecordModel({ releases: 70, nameLength: 250 });
    follow(model, "1");
    model.start("dev");
    model.finish("dev", "passedAt");
    for (let number = 2; number <= 9; number++) {
      follow(model, `${number}`);
      model.start("dev");
      model.finish("dev", "passedAt");
      model.approve("prod", 0, "Approve");
    }
    follow(model, "10");
    expect(numbersOf(model)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    model.requestCommit("dev", revisionOf(1));
    model.fold();
    expect(numbersOf(model)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // It replaces the one before, which dev has not started.
    follow(model, "11");
    expect(numbersOf(model)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 11]);
  });
});
