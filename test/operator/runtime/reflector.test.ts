import { describe, expect, test } from "vitest";
import { RunningReflector, waysToFill } from "../../fakes/running-reflector.ts";
import { busy, expired, refused, reset, tooLarge } from "../../fakes/watch-errors.ts";

describe.each(waysToFill)("Reflector filling its store by $by", ({ prepare }) => {
  test("case 1: after 410 it lists at its last version again, and unchanged objects cause no notification", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, handler } = running;
    expect(handler.take()).toEqual(["added shop/a@2 (initial)", "added shop/b@3 (initial)"]);

    source.cut(expired());
    await clock.settle();
    const before = source.calls.length;
    source.put({ name: "b" });
    source.compact();
    await clock.advance(2_000);

    const again = source.calls.slice(before).find(({ limit }) => limit === undefined);
    expect(again?.resourceVersion).toBe("3");
    expect(handler.take()).toEqual(["updated shop/b@4"]);
    expect(running.content).toEqual({ "shop/a": "2", "shop/b": "4" });
  });

  test.for([
    { does: "410", error: expired },
    { does: "'too large resource version'", error: tooLarge },
  ])(
    "case 2: after $does to the last version it requests the newest at once",
    async ({ error }, { expect }) => {
      await using running = await RunningReflector.start({ prepare });
      const { clock, source } = running;
      source.put({ name: "c" });
      await clock.settle();
      source.intercept = ({ resourceVersion }) => (resourceVersion === "" ? undefined : error());
      const before = source.calls.length;
      source.cut(expired());
      await clock.advance(2_000);

      const [first, second] = source.calls.slice(before);
      expect(first?.resourceVersion).toBe("4");
      expect(second).toMatchObject({ verb: first?.verb, resourceVersion: "", atMs: first?.atMs });
      expect(running.content).toEqual(running.serverContent);

      // A version that could be used once is used again.
      source.intercept = () => undefined;
      source.cut(expired());
      await clock.advance(5_000);
      const third = source.calls
        .slice(before + 2)
        .find((call) => call.verb === first?.verb && call.atMs > (second?.atMs ?? 0));
      expect(third?.resourceVersion).toBe("4");
    },
  );

  test("case 5: a bookmark causes no notification, and the next watch starts from it", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, handler } = running;
    handler.take();
    await clock.advance(2_000);
    source.skipVersions(40);
    source.bookmark();
    await clock.settle();
    source.cut(reset());
    await clock.settle();

    expect(handler.take()).toEqual([]);
    expect(source.calls.at(-1)).toMatchObject({ verb: "watch", resourceVersion: "43" });
  });

  test("case 6: after 429 at the start of a watch it waits and continues, without a list", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source } = running;
    await clock.advance(5_000);
    const before = source.calls.length;
    source.intercept = () => busy();
    source.cut();
    await clock.settle();
    source.put({ name: "c" });
    source.intercept = () => undefined;
    expect(await clock.advanceUntil(() => running.store.size === 3)).toBe(true);

    const [first, second] = source.calls.slice(before);
    expect(source.calls.slice(before)).toMatchObject([
      { verb: "watch", resourceVersion: "3", sendInitialEvents: false },
      { verb: "watch", resourceVersion: "3", sendInitialEvents: false },
    ]);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(800);
  });

  test("case 7: while connections are refused for 20 s it does not list, connects rarely, and loses no event", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source } = running;
    await clock.advance(5_000);
    source.intercept = () => refused();
    const before = source.calls.length;
    source.cut(reset());
    await clock.advance(20_000);
    source.put({ name: "a" });
    source.remove("shop/b");
    source.intercept = () => undefined;
    await clock.advance(60_000);

    const calls = source.calls.slice(before);
    expect(calls.length).toBeLessThanOrEqual(8);
    expect(calls.every(({ verb, sendInitialEvents }) => verb === "watch" && !sendInitialEvents)).toBe(true);
    expect(running.content).toEqual(running.serverContent);
  });

  test("case 8: requests to a server that closes each watch at once have increasing delays", async () => {
    await using running = await RunningReflector.start({
      random: () => 0,
      prepare: (source) => {
        prepare(source);
        source.intercept = ({ verb }) => (verb === "watch" ? "close" : undefined);
      },
    });
    const { clock, source } = running;
    await clock.advance(60_000);

    const watches = source.callsOf("watch");
    expect(watches.length).toBeLessThanOrEqual(8);
    const [last, previous] = [watches.at(-1)?.atMs ?? 0, watches.at(-2)?.atMs ?? 0];
    expect(last - previous).toBeGreaterThanOrEqual(25_000);
    expect(running.content).toEqual(running.serverContent);
    expect(running.reflector.state.state).toBe("failing");
  });
});
