import { describe, expect, test } from "vitest";
import { WatchError } from "../../../operator/errors.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { RunningReflector, twoWidgets, waysToFill } from "../../fakes/running-reflector.ts";
import { busy, initializing, refused, reset } from "../../fakes/watch-errors.ts";

const missing = () => new WatchError("the server could not find the requested resource", { status: 404 });
describe.each(waysToFill)("Reflector filling its store by $by", ({ prepare }) => {
  test("a watch that exceeds its timeout by 30 s is closed, and no event is lost", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source } = running;
    await clock.advance(5_000);
    // Case 10, second line: the transport's PING is the first. Nothing comes from the open watch any more.
    source.hold();
    source.put({ name: "c" });
    await clock.advance(474_000);
    expect(running.store.size).toBe(2);
    await clock.advance(2_000);
    expect(running.store.size).toBe(3);
    expect(source.openWatches).toBe(1);
  });

  test("a kind that is not installed yet is polled, and reported once", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        prepare(source);
        source.intercept = () => missing();
      },
    });
    const { clock, source, reflector, log } = running;
    await clock.advance(60_000);
    expect(source.calls.length).toBe(7);
    expect(reflector.state.state).toBe("waiting-for-kind");
    const message =
      "CustomResourceDefinition widgets.example.dev is not installed, or does not serve v1alpha1; waiting until it is";
    expect(reflector.state.message).toBe(message);
    expect(log.entries).toContainEqual({
      level: "warn",
      message: "Waiting for a kind that the API server does not serve",
      fields: { kind: "Widget", group: "example.dev", why: message },
    });
    expect(log.messages("warn")).toHaveLength(1);

    source.intercept = () => undefined;
    await clock.advance(10_000);
    expect(running.store.hasSynced).toBe(true);
    expect(reflector.state).toEqual({ state: "synced", message: "" });
  });

  test("a kind that is removed is no longer synced, and none of its objects counts as deleted", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, store, handler } = running;
    await clock.advance(5_000);
    handler.take();
    source.intercept = () => missing();
    source.cut();
    await clock.advance(60_000);
    expect(store.hasSynced).toBe(false);
    expect(store.size).toBe(2);
    expect(handler.take()).toEqual([]);

    source.remove("shop/a");
    source.intercept = () => undefined;
    await clock.advance(10_000);
    expect(store.hasSynced).toBe(true);
    expect(handler.take()).toEqual(["deleted shop/a@2 (unseen)"]);
  });

  test("a forbidden kind is reported with the missing verb", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        prepare(source);
        source.intercept = ({ verb }) => {
          if (verb === "watch" && source.initialEvents === "rejected") return undefined;
          return new WatchError(`User "fairlead" cannot ${verb} resource "widgets"`, { status: 403 });
        };
      },
    });
    const { reflector, source } = running;
    expect(reflector.state.state).toBe("forbidden");
    const verb = source.initialEvents === "rejected" ? "list" : "watch";
    expect(reflector.state.message).toContain(`Cannot ${verb} widgets.example.dev: forbidden`);
    expect(running.store.hasSynced).toBe(false);
  });

  test("events of another kind are dropped and reported", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, handler, log } = running;
    handler.take();
    source.send({
      type: "ADDED",
      object: { ...aLiveObject({ name: "x", resourceVersion: "99" }), kind: "Table" },
    });
    await clock.settle();
    expect(handler.take()).toEqual([]);
    expect(log.messages("warn")).toEqual(["Dropped a watch event of another kind"]);

    await clock.advance(2_000);
    source.cut();
    await clock.settle();
    expect(source.calls.at(-1)?.resourceVersion).toBe("3");
  });

  test("a server that fills its cache of a new kind is no warning, unless it takes long", async () => {
    await using running = await RunningReflector.start({
      prepare: (source) => {
        prepare(source);
        source.intercept = () => initializing();
      },
    });
    const { clock, source, reflector, log } = running;
    await clock.advance(20_000);
    expect(reflector.state).toMatchObject({
      state: "initializing",
      message: "storage is (re)initializing",
    });
    expect(log.messages("info")).toEqual(["Waiting for the API server to fill its cache of a kind"]);
    expect(log.messages("warn")).toEqual([]);

    await clock.advance(60_000);
    expect(reflector.state.state).toBe("failing");
    expect(log.messages("warn")).toEqual(["Cannot watch"]);

    source.intercept = () => undefined;
    await clock.advance(60_000);
    expect(running.store.hasSynced).toBe(true);
    expect(reflector.state).toEqual({ state: "synced", message: "" });
  });

  test("no request is sent before the time that a server requests for a retry", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source } = running;
    await clock.advance(5_000);
    source.intercept = () => busy(25_000);
    source.cut();
    await clock.settle();
    const before = source.calls.length;
    await clock.advance(24_900);
    expect(source.calls.length).toBe(before);
  });

  test("callers wait for changes while the watch is broken, and no longer", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, reflector } = running;
    await clock.advance(5_000);
    const { signal } = new AbortController();
    await reflector.whenWatching(signal);
    source.intercept = () => refused();
    source.cut(reset());
    await clock.advance(5_000);
    let hasNews = false;
    void reflector.whenWatching(signal).then(() => (hasNews = true));
    await clock.settle();
    expect(hasNews).toBe(false);
    source.intercept = () => undefined;
    await clock.advance(60_000);
    expect(hasNews).toBe(true);
  });

  test("an open watch that is behind does not satisfy a caller that needs the current state", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, reflector, handler } = running;
    await clock.advance(5_000);
    source.hold();
    source.put({ name: "a" });
    source.remove("shop/b");
    await clock.settle();
    handler.take();
    await reflector.whenCurrent(clock.now(), new AbortController().signal);
    expect(handler.take()).toEqual(["deleted shop/b@3 (unseen)", "updated shop/a@4"]);
    expect(running.content).toEqual(running.serverContent);
  });

  test("all objects are listed again once, and not for a caller that needs only the state of an earlier list", async () => {
    await using running = await RunningReflector.start({ prepare: twoWidgets });
    const { clock, source, reflector } = running;
    const { signal } = new AbortController();
    await clock.advance(5_000);
    const before = source.calls.length;
    await reflector.whenCurrent(0, signal);
    expect(source.calls).toHaveLength(before);
    const nowMs = clock.now();
    await Promise.all([reflector.whenCurrent(nowMs, signal), reflector.whenCurrent(nowMs, signal)]);
    expect(source.calls).toHaveLength(before + 1);
    expect(source.calls.at(-1)).toMatchObject({ sendInitialEvents: true, resourceVersion: "" });
    await clock.advance(5_000);
    source.put({ name: "c" });
    await clock.settle();
    expect(running.content).toEqual(running.serverContent);
  });

  test("a call during a pause or an outage returns when the server responds again", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, reflector } = running;
    await clock.advance(5_000);
    source.intercept = () => refused();
    source.cut(reset());
    await clock.advance(5_000);
    source.remove("shop/a");
    let isCurrent = false;
    void reflector.whenCurrent(clock.now(), new AbortController().signal).then(() => (isCurrent = true));
    await clock.advance(5_000);
    expect(isCurrent).toBe(false);
    source.intercept = () => undefined;
    await clock.advance(60_000);
    expect(isCurrent).toBe(true);
    expect(running.content).toEqual(running.serverContent);
  });

  test("it stops on request during any wait", async () => {
    const running = await RunningReflector.start({ prepare });
    running.source.intercept = () => refused();
    running.source.cut(reset());
    await running.clock.settle();
    await running[Symbol.asyncDispose]();
    expect(running.clock.pendingDelaysMs).toEqual([]);
    expect(running.source.openWatches).toBe(0);
  });
});
