import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { OpenWatch } from "../../../rig/faults/open-watch.ts";

function aWatch() {
  const upstream = new PassThrough();
  const seen: string[] = [];
  const watch = new OpenWatch({
    slot: 0,
    upstream: upstream as unknown as IncomingMessage,
    sink: {
      write: (bytes) => void seen.push(Buffer.from(bytes).toString()),
      end: () => void seen.push("end"),
      cut: () => void seen.push("cut"),
    },
    pick: () => undefined,
    onHit: () => {},
  });
  return { upstream, seen, watch, over: watch.run() };
}

test("a watch passes events on, and its end", async () => {
  const { upstream, seen, over } = aWatch();
  upstream.write("one\ntw");
  upstream.end("o\n");
  await over;
  expect(seen).toEqual(["one\n", "two\n", "end"]);
});

test.for(["ends", "breaks"])(
  "a silent watch whose API server %s is cut when the fault ends, and not before",
  async (how) => {
    const { upstream, seen, watch, over } = aWatch();
    watch.silence();
    upstream.write("one\n");
    if (how === "ends") upstream.end();
    else upstream.destroy(new Error("gone"));
    await over;
    expect(seen).toEqual([]);
    watch.cut();
    watch.cut();
    expect(seen).toEqual(["cut"]);
  },
);
