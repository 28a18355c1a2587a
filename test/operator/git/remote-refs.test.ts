import { describe, expect, test } from "vitest";
import { namesIn, readRemoteRefs } from "../../../operator/git/remote-refs.ts";

const id = "a".repeat(40);

function finish<Result>(work: Generator<undefined, Result>) {
  for (let pauses = 0; ; pauses++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

const refsOf = (answer: string) => finish(readRemoteRefs([answer])).value;
/** Pieces as long as the chunks of a pipe. */
const piecesOf = (answer: string, length = 65_536) =>
  Array.from({ length: Math.ceil(answer.length / length) }, (_, index) =>
    answer.slice(index * length, (index + 1) * length),
  );
const answerOf = (tags: readonly string[]) => tags.map((tag) => `${id}\trefs/tags/${tag}\n`).join("");

describe("readRemoteRefs()", () => {
  test("reads names and ids, without the commits of tag objects", () => {
    const answer = `${id}\trefs/heads/main\n${id}\trefs/tags/v1\nb\trefs/tags/v1^{}\nno tab\n\tno id\n`;
    const refs = refsOf(answer);
    expect([...refs.ids]).toEqual([
      ["refs/heads/main", id],
      ["refs/tags/v1", id],
    ]);
    expect(finish(namesIn(refs, "refs/tags/")).value).toEqual(["v1"]);
    expect(refs.digest).not.toBe(refsOf(`${answer}x`).digest);
  });

  test("reads lines that arrive in pieces", () => {
    const answer = `${id}\trefs/heads/main\n${id}\trefs/tags/é\nb\trefs/tags/é^{}\n${id}\trefs/tags/v2`;
    const whole = refsOf(answer);
    expect(whole.ids.size).toBe(3);
    expect(finish(readRemoteRefs(answer)).value).toEqual(whole);
    expect(finish(readRemoteRefs(["", ...answer.split(/(?<=v)/), ""])).value).toEqual(whole);
  });

  test("ignores lines that are too long for a ref", () => {
    const long = `${id}\trefs/tags/${"x".repeat(8_192)}\n`;
    const answer = `${long}${id}\trefs/tags/v1\n${long}${long}${id}\trefs/tags/v2\n${long}`;
    for (const pieces of [[answer], piecesOf(answer, 1_000)]) {
      const { ids } = finish(readRemoteRefs(pieces)).value;
      expect([...ids.keys()]).toEqual(["refs/tags/v1", "refs/tags/v2"]);
    }
  });

  test("pauses every 5,000 lines, and after each piece", () => {
    const answer = answerOf(Array.from({ length: 50_000 }, (_, index) => `v1.${index}.0`));
    const pieces = piecesOf(answer);
    const { value, pauses } = finish(readRemoteRefs(pieces));
    expect([value.ids.size, pauses]).toEqual([50_000, 10 + pieces.length]);
    expect(finish(namesIn(value, "refs/heads/"))).toEqual({ value: [], pauses: 10 });
    expect(finish(readRemoteRefs(piecesOf("x".repeat(16 * 2 ** 20)))).pauses).toBe(256);
  });
});
