import { describe, expect, test } from "vitest";
import { RenderQueue, type RenderTurn } from "../../../operator/render/render-queue.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aFolder, manifests, program, request } from "../../fakes/renderer-bench.ts";

function aQueue() {
  const clock = new FakeClock();
  const queue = new RenderQueue({ clock, longestProgramMs: 60_000, onUsedUp: () => {} });
  const turns = new Map<string, RenderTurn>();
  const ask = (key: string, name: string, render = manifests): (() => void) =>
    queue.ask(request(key, aFolder(name), render), (turn) => void turns.set(name, turn));
  /** Ends a render for which the reader worked this long. */
  const end = (name: string, workedMs: number): void => {
    turns.get(name)?.callbacks.onWorked(workedMs);
    turns.get(name)?.end({ isWasted: false });
  };
  return { clock, queue, turns, ask, end, begun: () => [...turns.keys()] };
}

describe("RenderQueue", () => {
  test("delays only the next render of a Release whose folder took long", async () => {
    const { clock, ask, end, begun } = aQueue();
    ask("shop/web", "first");
    end("first", 250);
    ask("shop/web", "second");
    ask("shop/api", "other");
    await clock.advance(2_999);
    expect(begun()).toEqual(["first", "other"]);
    await clock.advance(1);
    expect(begun()).toEqual(["first", "other", "second"]);
  });

  test("delays a render for longer when an earlier one of its Release ends while it waits", async () => {
    const { clock, ask, end, begun } = aQueue();
    ask("shop/web", "first");
    ask("shop/web", "second");
    end("first", 200);
    ask("shop/web", "third");
    await clock.advance(1_000);
    end("second", 300);
    await clock.advance(3_999);
    expect(begun()).toEqual(["first", "second"]);
    await clock.advance(1);
    expect(begun()).toEqual(["first", "second", "third"]);
  });

  test("starts nothing that was cancelled during its delay", async () => {
    const { clock, ask, end, begun } = aQueue();
    ask("shop/web", "first");
    end("first", 250);
    const cancel = ask("shop/web", "second");
    await clock.advance(1_000);
    cancel();
    await clock.advance(30_000);
    expect(begun()).toEqual(["first"]);
  });

  test("a slow program that is cancelled during the delay of its namespace lets the next one start", async () => {
    const { clock, queue, turns, ask, begun } = aQueue();
    for (const key of ["shop/a", "shop/b", "shop/c"]) queue.slowKeys.add(key);
    ask("shop/a", "a", program());
    await clock.advance(500);
    turns.get("a")?.callbacks.onRunning(true);
    await clock.advance(2_000);
    turns.get("a")?.end({ isWasted: true });
    const cancel = ask("shop/b", "b", program());
    ask("shop/c", "c", program());
    await clock.advance(1_000);
    cancel();
    await clock.advance(6_999);
    expect(begun()).toEqual(["a"]);
    await clock.advance(1);
    expect(begun()).toEqual(["a", "c"]);
  });
});
