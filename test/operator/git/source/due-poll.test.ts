import { expect, test } from "vitest";
import { DuePoll } from "../../../../operator/git/source/due-poll.ts";

const main = "refs/heads/main";

test.for([
  { when: "one ref was pushed", reasons: [main], names: main },
  { when: "it was pushed twice", reasons: [main, main], names: main },
  { when: "another ref was pushed too", reasons: [main, "refs/heads/next"], names: undefined },
  {
    when: "it was pushed again after another one",
    reasons: [main, "refs/heads/next", main],
    names: undefined,
  },
  { when: "the interval has passed too", reasons: [main, undefined], names: undefined },
  { when: "the interval had passed before", reasons: [undefined, main], names: undefined },
  { when: "nothing is due", reasons: [], names: undefined },
])("when $when, the poll is of $names", ({ reasons, names }) => {
  const due = new DuePoll();
  expect(reasons.map((pushed) => due.add(pushed))).toEqual(reasons.map((_, index) => index === 0));
  expect(due.pushed).toBe(names);
  expect(due.take()).toBe(names);
  expect(due.take()).toBeUndefined();
});
