import { expect, test } from "vitest";
import { KubeWatchSource } from "../../../operator/cluster/watch-source.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { aConfigMap, configMaps, fromFive, unlimited } from "./fixture.ts";

const server = new URL("http://127.0.0.1:1");
const object = aConfigMap("a", { data: { x: "y".repeat(800) } });
const count = 30_000;

/** A source with one response that arrives in one piece: the worst case of a network. */
function sourceOf(text: string): KubeWatchSource {
  const bytes = Buffer.from(text);
  return new KubeWatchSource({
    kind: configMaps,
    clock: systemClock(),
    transport: { server, send: async () => ({ status: 200, body: text, retryAfterMs: undefined }) },
    connection: {
      async open() {
        return { status: 200, headers: {}, body: onePiece(bytes) };
      },
    },
  });
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/**
 * The longest time for which the event loop was blocked, in milliseconds of this thread's CPU time: other programs do
 * not count.
 */
async function longestSliceOf(work: () => Promise<void>): Promise<number> {
  let longestMs = 0;
  let lastMs = threadMs();
  let isDone = false;
  const look = () => {
    longestMs = Math.max(longestMs, threadMs() - lastMs);
    lastMs = threadMs();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  look();
  return longestMs;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

// It is about 12 ms on an idle machine, and 150 ms or more without yielding.
test("a burst of 30,000 events blocks the event loop for less than 50 ms at a time", async () => {
  const source = sourceOf(`${JSON.stringify({ type: "ADDED", object })}\n`.repeat(count));
  let seen = 0;
  const longestMs = await longestSliceOf(async () => {
    for await (const event of source.watch(fromFive)) if (event.type === "ADDED") seen += 1;
  });
  expect(seen).toBe(count);
  expect(longestMs).toBeLessThan(50);
});

test("a list of 30,000 objects in one response does not either", async () => {
  const source = sourceOf(
    JSON.stringify({ metadata: {}, items: Array.from({ length: count }, () => object) }),
  );
  const longestMs = await longestSliceOf(async () => {
    expect((await source.list({ resourceVersion: "1", signal: unlimited })).items).toHaveLength(count);
  });
  expect(longestMs).toBeLessThan(50);
});
