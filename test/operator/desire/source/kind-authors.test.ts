import { describe, expect, test } from "vitest";
import type { CommitSpan } from "../../../../crds/kind-source.ts";
import type { SourceRevision } from "../../../../operator/git/source/ports.ts";
import { aRevision } from "../../../fakes/releases.ts";
import { aScene } from "./kind-source-scene.ts";

describe("the authors of commits that a kind requests", () => {
  const span = { since: "1".repeat(40), until: "2".repeat(40) };
  const found = [{ email: "ada@example.dev", commit: span.until }];

  /** A source that is ready, of a repository that counts what it is asked. */
  async function aReadyScene(more: Partial<SourceRevision> = {}) {
    const scene = aScene();
    const questions: CommitSpan[] = [];
    const authorsOf: SourceRevision["authorsOf"] = async (wanted) => {
      questions.push(wanted);
      return { authors: found };
    };
    const become = (revision: Partial<SourceRevision>): void => {
      const whole = { ...aRevision("1"), authorsOf, ...revision };
      scene.state = { state: "ready", revision: whole, handledRequest: undefined };
    };
    become(more);
    const authors = async (...spans: readonly CommitSpan[]) =>
      scene.sources.authorsOf("shop/web", await scene.ask(), spans);
    return Object.assign(scene, { questions, become, authors });
  }

  test("are reported when they are known, and later with the state of the source", async () => {
    const scene = await aReadyScene();
    expect(await scene.authors(span)).toMatchObject({ state: { spans: [{ ...span, state: "pending" }] } });
    await scene.clock.settle();
    expect(scene.woken).toEqual(["shop/web"]);
    const told = { state: { spans: [{ ...span, state: "known", authors: found }] } };
    expect(await scene.ask()).toMatchObject(told);
    expect(await scene.authors(span)).toMatchObject(told);
    expect(scene.questions).toEqual([span]);
  });

  test("are left out when the kind no longer requests them", async () => {
    const scene = await aReadyScene();
    await scene.authors(span);
    expect((await scene.authors()).state).not.toHaveProperty("spans");
    expect((await scene.ask()).state).not.toHaveProperty("spans");
  });

  test("are requested from the current clone, although the source has not changed", async () => {
    const scene = await aReadyScene();
    await scene.authors(span);
    const others: CommitSpan[] = [];
    const authorsOf: SourceRevision["authorsOf"] = async (wanted) => {
      others.push(wanted);
      return { authors: found };
    };
    scene.become({ repositoryId: "with other credentials", authorsOf });
    await scene.authors(span);
    expect(others).toEqual([span]);
  });

  test("are not requested while the source is unknown", async () => {
    const scene = await aReadyScene();
    const failure = { reason: "SourceNotFound", message: "no branch" } as const;
    scene.state = { state: "failed", failure };
    expect(await scene.authors(span)).toEqual(await scene.ask());
    expect(scene.questions).toEqual([]);
  });

  test("are requested again when a repository could not be read", async () => {
    const scene = await aReadyScene({ authorsOf: () => Promise.reject(new Error("no")) });
    await scene.authors(span);
    await scene.clock.settle();
    expect(await scene.authors(span)).toMatchObject({ retryAfterMs: 60_000 });
  });
});
