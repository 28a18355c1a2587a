import { describe, expect, test } from "vitest";
import { WatchError } from "../../../operator/errors.ts";
import type { WatchEvent } from "../../../operator/runtime/ports.ts";
import { aConfigMap, fromFive, scriptedCluster } from "./fixture.ts";

const line = Buffer.from(`${JSON.stringify({ type: "ADDED", object: aConfigMap("é€😀") })}\n`);
const positions = Array.from({ length: line.length + 1 }, (_, position) => position);

/** The events of a watch, and how it ended. */
async function follow(events: AsyncIterable<WatchEvent>): Promise<{ seen: string[]; error: unknown }> {
  const seen: string[] = [];
  try {
    for await (const event of events) seen.push("object" in event ? event.object.metadata.name : event.type);
    return { seen, error: undefined };
  } catch (error) {
    return { seen, error };
  }
}

describe.for(["https", "h2"] as const)("a watch over %s whose second event is truncated", (protocol) => {
  test("by a normal end, after any of its bytes, returns the first event and reports that it was truncated", async () => {
    await using cluster = await scriptedCluster({ protocol });
    for (const position of positions) {
      cluster.server.script = (_request, answer) => {
        const stream = answer.stream();
        stream.send("ADDED", aConfigMap("first"));
        stream.bytes(line.subarray(0, position));
        stream.end();
      };
      const { seen, error } = await follow(cluster.source.watch(fromFive));
      const isWhole = position === line.length;
      expect(seen, `cut at ${position}`).toEqual(isWhole ? ["first", "é€😀"] : ["first"]);
      if (isWhole || position === 0) expect(error, `cut at ${position}`).toBeUndefined();
      else
        expect(error, `cut at ${position}`).toMatchObject({
          status: 0,
          message: expect.stringMatching(/ended inside an event/),
        });
    }
  });

  test("by a reset, after any of its bytes, returns no partial event and no other error than a lost connection", async () => {
    await using cluster = await scriptedCluster({ protocol });
    for (const position of positions) {
      cluster.server.script = async (_request, answer) => {
        const stream = answer.stream();
        stream.send("ADDED", aConfigMap("first"));
        stream.bytes(line.subarray(0, position));
        await new Promise(setImmediate);
        answer.reset();
      };
      const { seen, error } = await follow(cluster.source.watch(fromFive));
      const whole = position === line.length ? ["first", "é€😀"] : ["first"];
      // A reset may overtake data that was sent before it.
      expect(whole.slice(0, seen.length), `cut at ${position}`).toEqual(seen);
      expect(error, `cut at ${position}`).toBeInstanceOf(WatchError);
      expect(error, `cut at ${position}`).toMatchObject({
        status: 0,
        message: expect.not.stringContaining("JSON"),
      });
    }
  });
});
