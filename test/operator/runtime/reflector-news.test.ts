import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { WatchError } from "../../../operator/errors.ts";
import { RunningReflector, waysToFill } from "../../fakes/running-reflector.ts";
import { expired } from "../../fakes/watch-errors.ts";

describe.each(waysToFill)("Reflector filling its store by $by", ({ prepare }) => {
  test("case 11: watches request a timeout of 300 to 600 s, evenly distributed", async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    await using running = await RunningReflector.start({ prepare, random });
    const { clock, source } = running;
    for (let watch = 0; watch < 200; watch++) {
      await clock.advance(2_000);
      source.cut();
    }
    const timeouts = source.callsOf("watch").flatMap(({ timeoutSeconds = 0 }) => timeoutSeconds);
    expect(timeouts.length).toBeGreaterThanOrEqual(200);
    expect(Math.min(...timeouts)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...timeouts)).toBeLessThanOrEqual(600);
    for (let third = 0; third < 3; third++) {
      const inThird = timeouts.filter((seconds) => Math.floor((seconds - 300) / 100) === third);
      expect(inThird.length).toBeGreaterThan(timeouts.length / 5);
    }
  });

  test("case 12: an object that was deleted without a watch is deleted once, with its last known state", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, handler } = running;
    handler.take();
    await clock.advance(2_000);
    source.intercept = ({ verb, sendInitialEvents }) =>
      verb === "watch" && !sendInitialEvents ? expired() : undefined;
    source.cut();
    await clock.settle();
    source.remove("shop/b");
    source.intercept = () => undefined;
    await clock.advance(3_000);

    expect(handler.take()).toEqual(["deleted shop/b@3 (unseen)"]);
  });

  test("case 13: an object that was deleted and recreated without a watch is one update with both objects", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, handler } = running;
    handler.take();
    source.cut(expired());
    await clock.settle();
    source.remove("shop/b");
    source.put({ name: "b", uid: "second" });
    await clock.advance(3_000);

    expect(handler.take()).toEqual(["updated shop/b@5 (uid-of-b → second)"]);
    expect(running.store.get("shop/b")?.metadata.uid).toBe("second");
  });

  test("case 14: a new list without changes causes no notification", async () => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, handler } = running;
    handler.take();
    source.cut(new WatchError("etcd is down", { status: 500 }));
    await clock.advance(3_000);

    expect(source.calls.length).toBeGreaterThanOrEqual(2);
    expect(handler.take()).toEqual([]);
    expect(running.reflector.state.state).toBe("synced");
  });

  test("case 17: an object is transformed once per version, from a list or a watch", async () => {
    const seen: string[] = [];
    const transform = (object: LiveObject) => {
      seen.push(`${object.metadata.name}@${object.metadata.resourceVersion}`);
      const { managedFields: _, ...metadata } = object.metadata as LiveObject["metadata"] & {
        managedFields?: unknown;
      };
      return { ...object, metadata };
    };
    const withFields = {
      metadata: { managedFields: [{ manager: "somebody" }] } as Partial<LiveObject["metadata"]>,
    };
    await using running = await RunningReflector.start({
      transform,
      prepare: (source) => {
        prepare(source);
        source.put({ name: "a", ...withFields });
      },
    });
    const { clock, source, store } = running;
    const changed = source.put({ name: "b", ...withFields });
    await clock.settle();
    store.written(changed);
    source.cut(expired());
    await clock.advance(3_000);
    source.cut(expired());
    source.put({ name: "a", ...withFields });
    await clock.advance(3_000);

    expect(JSON.stringify([...store.list()])).not.toContain("managedFields");
    expect(JSON.stringify(running.handler.last)).not.toContain("managedFields");
    expect(seen.toSorted()).toEqual(["a@4", "a@6", "b@3", "b@5"]);
  });

  test.for([
    { does: "lists all objects again", afterMs: 3_000, isCustomKind: true, spec: { size: 1 } },
    { does: "continues after a long time without events", afterMs: 200_000, isCustomKind: true, spec: {} },
    { does: "continues for a built-in kind", afterMs: 3_000, isCustomKind: false, spec: {} },
  ])("a watch that the server ends early $does", async ({ afterMs, isCustomKind, spec }) => {
    await using running = await RunningReflector.start({ prepare });
    const { clock, source, store } = running;
    source.isCustomKind = isCustomKind;
    source.hold();
    const whole = source.put({ name: "a", fields: { spec: { size: 1 } } });
    source.release({ isLost: true });
    // As a watch shows it that is older than the definition of `size`.
    source.send({ type: "MODIFIED", object: { ...whole, spec: {} } });
    await clock.advance(afterMs);
    expect(store.get("shop/a")?.["spec"]).toEqual({});
    source.cut();
    await clock.advance(3_000);
    expect(store.get("shop/a")?.["spec"]).toEqual(spec);
  });
});
