import { describe, expect, test } from "vitest";
import { bufferedHandler } from "../../../operator/runtime/buffered-handler.ts";
import { WatchedStore } from "../../../operator/runtime/store.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

describe("bufferedHandler()", () => {
  test("case 16: a slow handler holds up no other, and gets everything in order", async () => {
    const log = new RecordingLogger();
    const store = new WatchedStore({ kind: widgets, indexes: {}, log });
    const mayGoOn = Promise.withResolvers<void>();
    const atOnce: number[] = [];
    let running = 0;
    const slow: string[] = [];
    const fast: string[] = [];
    const handler = bufferedHandler(
      async ({ object }) => {
        atOnce.push(++running);
        await mayGoOn.promise;
        slow.push(object.metadata.resourceVersion);
        running--;
      },
      { log },
    );
    store.subscribe(handler);
    store.subscribe({
      added: ({ metadata }) => fast.push(metadata.resourceVersion),
      updated: (_, { metadata }) => fast.push(metadata.resourceVersion),
      deleted: () => {},
    });

    const versions = Array.from({ length: 10_000 }, (_, index) => String(index + 1));
    for (const resourceVersion of versions)
      store.apply({ type: "MODIFIED", object: aLiveObject({ resourceVersion }) });
    expect(fast).toEqual(versions);
    expect(slow).toEqual([]);
    expect(handler.pending).toBe(10_000);

    mayGoOn.resolve();
    await new FakeClock().settle();
    expect(slow).toEqual(versions);
    expect(Math.max(...atOnce)).toBe(1);
    expect(handler.pending).toBe(0);
  });

  test("a notification that fails is lost alone, and logged", async () => {
    const log = new RecordingLogger();
    const seen: string[] = [];
    const handler = bufferedHandler(
      async ({ type }) => {
        if (type === "updated") throw new Error("no");
        seen.push(type);
      },
      { log },
    );
    const object = aLiveObject();
    handler.added(object, { initial: false });
    handler.updated(object, object);
    handler.deleted(object, { finalStateUnknown: false });
    await new FakeClock().settle();
    expect(seen).toEqual(["added", "deleted"]);
    expect(log.messages("error")).toHaveLength(1);
  });
});
