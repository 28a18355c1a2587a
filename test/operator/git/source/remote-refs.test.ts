import { describe, expect, test } from "vitest";
import { namesIn, readRemoteRefs } from "../../../../operator/git/source/remote-refs.ts";
import { TagChoices } from "../../../../operator/git/source/tag-choices.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

const id = "a".repeat(40);

function finish<Result>(work: Generator<undefined, Result>) {
  for (let pauses = 0; ; pauses++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

const refsOf = (answer: string) => finish(readRemoteRefs(answer)).value;
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

  test("pauses every 5,000 lines, and every megabyte", () => {
    const answer = answerOf(Array.from({ length: 50_000 }, (_, index) => `v1.${index}.0`));
    const { value, pauses } = finish(readRemoteRefs(answer));
    expect([value.ids.size, pauses]).toEqual([50_000, 10 + Math.ceil(answer.length / 2 ** 20)]);
    expect(finish(namesIn(value, "refs/heads/"))).toEqual({ value: [], pauses: 10 });
    expect(finish(readRemoteRefs("x".repeat(16 * 2 ** 20))).pauses).toBe(16);
  });
});

describe("TagChoices", () => {
  test("chooses again only when the refs have changed", async () => {
    const choices = new TagChoices(new FakeClock());
    const before = refsOf(answerOf(["v1.0.0", "v1.1.0"]));
    expect(await choices.choose(before, "^1")).toBe("refs/tags/v1.1.0");
    expect(await choices.choose(before, "^2")).toBeUndefined();
    choices.rest();
    // Equal digests mean equal refs: if these were read, the result would differ.
    const same = { ids: new Map<string, string>(), digest: before.digest };
    expect(await choices.choose(same, "^1")).toBe("refs/tags/v1.1.0");
    expect(await choices.choose(refsOf(answerOf(["v1.2.0"])), "^1")).toBe("refs/tags/v1.2.0");
  });
});
