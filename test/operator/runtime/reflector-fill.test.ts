import { describe, expect, test } from "vitest";
import { listOnly, RunningReflector, twoWidgets } from "../../fakes/running-reflector.ts";
import type { ScriptedWatchSource } from "../../fakes/scripted-watch-source.ts";
import { expired, reset } from "../../fakes/watch-errors.ts";

describe("Reflector with a watch that sends all objects first", () => {
  test("case 3: a server that rejects it is listed, from any cached state, and then watched", async () => {
    await using running = await RunningReflector.start({ prepare: listOnly });
    const { clock, source } = running;
    expect(source.calls).toMatchObject([
      { verb: "watch", sendInitialEvents: true, resourceVersion: "" },
      { verb: "list", resourceVersion: "0", limit: 500 },
      { verb: "watch", sendInitialEvents: false, resourceVersion: "3" },
    ]);
    source.put({ name: "c" });
    await clock.settle();
    expect(running.content).toEqual(running.serverContent);

    source.cut(expired());
    await clock.advance(2_000);
    // Not asked for again: such a server does not learn it while we run.
    expect(source.calls.filter(({ sendInitialEvents }) => sendInitialEvents)).toHaveLength(1);
  });

  test("case 4: a truncated stream is discarded, and requested again as a whole", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        twoWidgets(source);
        source.initialEvents = "cut";
      },
    });
    const { clock, source, handler, store } = running;
    expect(handler.lines).toEqual([]);
    expect(store.hasSynced).toBe(false);

    source.initialEvents = "served";
    await clock.advance(2_000);
    expect(handler.lines).toEqual(["added shop/a@2 (initial)", "added shop/b@3 (initial)"]);
    expect(source.callsOf("list")).toEqual([]);
  });

  test("its stream continues as the watch", async () => {
    await using running = await RunningReflector.start({ prepare: twoWidgets });
    const { clock, source } = running;
    source.put({ name: "c" });
    source.remove("shop/a");
    await clock.settle();
    expect(source.calls).toHaveLength(1);
    expect(running.content).toEqual({ "shop/b": "3", "shop/c": "4" });
  });

  test("after a failure it lists, until a watch has lasted", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        twoWidgets(source);
        source.intercept = ({ sendInitialEvents }) => (sendInitialEvents ? reset() : undefined);
      },
    });
    const { clock, source } = running;
    source.intercept = () => undefined;
    expect(source.calls.map(({ verb }) => verb)).toEqual(["watch", "list", "watch"]);
    await clock.advance(2_000);
    source.cut(expired());
    await clock.advance(2_000);
    expect(source.calls.at(-1)).toMatchObject({
      verb: "watch",
      sendInitialEvents: true,
      resourceVersion: "3",
    });
  });

  test("changes before the end of the initial events are used", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        twoWidgets(source);
        source.initialEvents = "ignored";
      },
    });
    const { clock, source, handler } = running;
    source.remove("shop/a");
    source.put({ name: "b" });
    source.send({ type: "BOOKMARK", resourceVersion: source.version, initialEventsEnd: true });
    await clock.settle();
    expect(handler.lines).toEqual(["added shop/b@5 (initial)"]);
  });

  test("without the end of the initial events it warns every 10 s, and lists when no more events arrive", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        twoWidgets(source);
        // A server that does not know sendInitialEvents may ignore it.
        source.initialEvents = "ignored";
      },
    });
    const { clock, log, store } = running;
    await clock.advance(39_000);
    const warning = "Still waiting for the end of the initial events";
    expect(log.messages("warn")).toEqual([warning, warning, warning]);
    expect(store.hasSynced).toBe(false);
    await clock.advance(2_000);
    expect(store.hasSynced).toBe(true);
    expect(running.content).toEqual(running.serverContent);
  });
});

describe("Reflector with lists", () => {
  const manyWidgets = (source: ScriptedWatchSource) => {
    source.initialEvents = "rejected";
    source.alwaysPages = true;
    for (let i = 0; i < 2_100; i++) source.put({ name: `w${i}` });
  };

  test("case 9: an expired next-page token causes one full list, without duplicates", async () => {
    let pages = 0;
    await using running = await RunningReflector.start({
      prepare: (source) => {
        manyWidgets(source);
        source.intercept = ({ continueToken }) => (continueToken && ++pages === 2 ? expired() : undefined);
      },
    });
    const { clock, source, store, handler } = running;
    await clock.settle({ turns: 50 });
    expect(
      source.callsOf("list").map(({ limit, continueToken }) => ({ limit, token: Boolean(continueToken) })),
    ).toEqual([
      { limit: 500, token: false },
      { limit: 500, token: true },
      { limit: 500, token: true },
      { limit: undefined, token: false },
    ]);
    expect(store.size).toBe(2_100);
    expect(handler.lines).toHaveLength(2_100);
  });

  test("after a first list with pages, later lists are requested in pages", async () => {
    await using running = await RunningReflector.start({ prepare: manyWidgets });
    const { clock, source } = running;
    await clock.settle({ turns: 50 });
    source.cut(expired());
    await clock.advance(3_000);
    const again = source.callsOf("list").find(({ resourceVersion }) => resourceVersion === "2101");
    expect(again?.limit).toBe(500);
  });

  test("the newest version is listed in pages", async () => {
    await using running = await RunningReflector.start({ prepare: listOnly });
    const { clock, source } = running;
    source.intercept = ({ resourceVersion }) => (resourceVersion === "" ? undefined : expired());
    source.cut(expired());
    await clock.advance(3_000);
    expect(source.callsOf("list").at(-1)).toMatchObject({ resourceVersion: "", limit: 500 });
  });

  test("after a first list from the server's cache, later lists are requested without pages", async () => {
    await using running = await RunningReflector.start({ prepare: listOnly });
    running.source.cut(expired());
    await running.clock.advance(3_000);
    expect(running.source.callsOf("list").map(({ limit }) => limit)).toEqual([500, undefined]);
  });

  test("versions of a watch from 0 are used as progress only after the existing objects", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        listOnly(source);
        source.listVersion = "0";
      },
    });
    const { clock, source } = running;
    await clock.advance(2_000);
    source.cut();
    await clock.settle();
    expect(source.calls.at(-1)).toMatchObject({ verb: "watch", resourceVersion: "0" });
    source.put({ name: "a" });
    await clock.advance(2_000);
    source.cut();
    await clock.settle();
    expect(source.calls.at(-1)).toMatchObject({ verb: "watch", resourceVersion: "4" });
  });
});
