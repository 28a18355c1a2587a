import { describe, expect, test } from "vitest";
import type { CommitSpan } from "../../../../crds/kind-source.ts";
import { KnownSpans } from "../../../../operator/desire/source/known-spans.ts";
import { SourceError } from "../../../../operator/errors.ts";
import type { FoundAuthors } from "../../../../operator/git/source/span-authors.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(40)) as [string, string, string];
const span = { since: one, until: two };
const authors = [{ email: "ada@example.dev", commit: two }];

/** Spans of resources, and what was asked of the zone for them. */
function aScene() {
  const clock = new FakeClock();
  const told: string[] = [];
  const spans = new KnownSpans({ clock, onChange: (key) => void told.push(key) });
  const scene = {
    asked: [] as CommitSpan[],
    answer: async (): Promise<FoundAuthors> => ({ authors }),
    mark: "head",
    repositoryId: "r",
  };
  const ask = (...wanted: readonly CommitSpan[]) => {
    const authorsOf = (asked: CommitSpan): Promise<FoundAuthors> => {
      scene.asked.push(asked);
      return scene.answer();
    };
    const { mark, repositoryId } = scene;
    return spans.ask("ns/a", wanted, { mark, revision: { repositoryId, authorsOf } });
  };
  return Object.assign(scene, { clock, told, spans, ask });
}

describe("KnownSpans", () => {
  test("reads a span once, reports when it is known, and keeps it", async () => {
    const scene = aScene();
    expect(scene.ask(span)).toEqual({ spans: [{ ...span, state: "pending" }] });
    await scene.clock.settle();
    expect(scene.told).toEqual(["ns/a"]);
    const known = [{ ...span, state: "known", authors }];
    scene.mark = "other head";
    for (let times = 0; times < 3; times++) expect(scene.ask(span)).toEqual({ spans: known });
    expect(scene.spans.known("ns/a")).toEqual(known);
    expect(scene.asked).toEqual([span]);
  });

  test("returns results in the order of the request, and reads a repeated span once", async () => {
    const scene = aScene();
    const other = { until: three };
    expect(scene.ask(other, span, other).spans).toMatchObject([other, span, other]);
    expect(scene.asked).toEqual([other, span]);
  });

  test("drops spans that are no longer requested, and does not report them", async () => {
    const scene = aScene();
    scene.ask(span);
    scene.ask();
    await scene.clock.settle();
    expect([scene.told, scene.spans.known("ns/a")]).toEqual([[], []]);
    scene.ask(span);
    expect(scene.asked).toHaveLength(2);
    scene.spans.forget("ns/a");
    expect(scene.spans.known("ns/a")).toEqual([]);
  });

  test("does not use results of another repository", async () => {
    const scene = aScene();
    scene.ask(span);
    await scene.clock.settle();
    scene.repositoryId = "other";
    expect(scene.ask(span).spans).toMatchObject([{ state: "pending" }]);
  });

  test.for([
    [
      "MissingHistory",
      "the history from commit 111111111111 to commit 222222222222 is not complete in the repository",
    ],
    ["NotAncestor", "commit 222222222222 does not come after commit 111111111111"],
    [
      "TooManyCommits",
      "the history from commit 111111111111 to commit 222222222222 has more than 2000 commits",
    ],
    [
      "TooManyAuthors",
      "the history from commit 111111111111 to commit 222222222222 has more than 100 authors",
    ],
    ["Unreadable", "the author of commit 333333333333 cannot be read"],
  ] as const)(
    "reports why the authors cannot be read, %s, and reads them again only for another head",
    async ([is, message]) => {
      const scene = aScene();
      scene.answer = async () => ({ problem: { is, commit: three } });
      scene.ask(span);
      await scene.clock.settle();
      // Promoting in smaller steps helps against these alone.
      const isTooLong = is === "TooManyCommits" || is === "TooManyAuthors" ? { isTooLong: true } : {};
      expect(scene.ask(span)).toEqual({ spans: [{ ...span, state: "failed", message, ...isTooLong }] });
      await scene.clock.advance(24 * 3_600_000);
      scene.ask(span);
      expect(scene.asked).toHaveLength(1);
      scene.mark = "other head";
      expect(scene.ask(span).spans).toMatchObject([{ state: "pending" }]);
      expect(scene.asked).toHaveLength(2);
    },
  );

  test.for([
    [new SourceError("SourceUnreachable", "no answer"), "no answer"],
    [new Error("secret"), "the repository cannot be read"],
  ] as const)("reads again after a minute if the repository cannot be read: %s", async ([error, why]) => {
    const scene = aScene();
    scene.answer = () => Promise.reject(error);
    scene.ask(span);
    await scene.clock.settle();
    const message = `the history from commit 111111111111 to commit 222222222222 cannot be read now: ${why}`;
    expect(scene.ask(span)).toEqual({ spans: [{ ...span, state: "failed", message }], retryAfterMs: 60_000 });
    await scene.clock.advance(59_999);
    expect(scene.ask(span)).toMatchObject({ retryAfterMs: 1 });
    expect(scene.asked).toHaveLength(1);
    scene.answer = async () => ({ authors });
    await scene.clock.advance(1);
    expect(scene.ask(span)).toEqual({ spans: [{ ...span, state: "pending" }] });
    await scene.clock.settle();
    expect(scene.ask(span)).toEqual({ spans: [{ ...span, state: "known", authors }] });
    expect(scene.told).toEqual(["ns/a", "ns/a"]);
  });

  test("returns no authors between a commit and itself, without a request", () => {
    const scene = aScene();
    const nothing = { since: one, until: one };
    expect(scene.ask(nothing)).toEqual({ spans: [{ ...nothing, state: "known", authors: [] }] });
    expect(scene.asked).toEqual([]);
  });

  test("requests only full ids, and a limited number of spans", () => {
    const scene = aScene();
    const odd = ["main", `${one}\nx`, "--all"].map((until) => ({ until }));
    for (const { state, ...more } of scene.ask(...odd, { since: "HEAD~1", until: two }).spans)
      expect({ state, ...more }).toMatchObject({
        state: "failed",
        message: expect.stringContaining("full ids"),
      });
    expect(scene.asked).toEqual([]);
    const many = Array.from({ length: 38 }, (_, index) => ({ until: (index + 16).toString(16).repeat(20) }));
    const { spans } = scene.ask(...many);
    expect(spans.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 32 }, () => "pending"),
      ...Array.from({ length: 6 }, () => "failed"),
    ]);
    expect(scene.asked).toHaveLength(32);
  });
});
