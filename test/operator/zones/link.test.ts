import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ZoneAnswerError,
  ZoneDeadlineError,
  ZoneLostError,
  ZoneProtocolError,
} from "../../../operator/zones/errors.ts";
import { encodeFrame } from "../../../operator/zones/frame.ts";
import type { Serve } from "../../../operator/zones/incoming-requests.ts";
import { aLinkPair, aLinkToPeer } from "../../fakes/link-pair.ts";

const options = { read: ({ body }: { readonly body: unknown }) => body, deadlineMs: 60_000 };
const hello = encodeFrame({ is: "hello", protocol: 1, zone: "test" });
const serveEcho: Serve = async ({ body, parts }) => ({ body: { body, texts: parts.map(String) } });

describe("Link", () => {
  test("answers several concurrent requests, each with its own answer", async () => {
    const waiting = new Map<string, PromiseWithResolvers<void>>();
    const serve: Serve = async ({ body }) => {
      const turn = Promise.withResolvers<void>();
      waiting.set(String(body), turn);
      await turn.promise;
      return { body };
    };
    const { near, clock } = aLinkPair({ far: { serve } });
    const answers = ["a", "b", "c"].map((body) => near.request("echo", { body }, options));
    await clock.settle();
    for (const name of ["c", "a", "b"]) waiting.get(name)?.resolve();
    expect(await Promise.all(answers)).toEqual(["a", "b", "c"]);
  });

  test("transfers items in their order before the answer, both ways", async () => {
    const serve: Serve = async ({ send }) => {
      for (const body of [1, 2, 3]) await send({ body, parts: [Buffer.alloc(200_000, body)] });
      return { body: "end" };
    };
    const { near, far } = aLinkPair({ far: { serve }, near: { serve: serveEcho, requestParts: 1 } });
    const items: unknown[] = [];
    const onItem = ({ body, parts }: { readonly body: unknown; readonly parts: readonly Buffer[] }) =>
      items.push([body, parts[0]?.length, parts[0]?.[0]]);
    expect(await near.request("count", { body: {} }, { ...options, onItem })).toBe("end");
    expect(items).toEqual([
      [1, 200_000, 1],
      [2, 200_000, 2],
      [3, 200_000, 3],
    ]);
    const message = { body: "hi", parts: [Buffer.from("part")] };
    expect(await far.request("echo", message, options)).toEqual({ body: "hi", texts: ["part"] });
  });

  test("follows an endless answer, and ends the connection with it", async () => {
    const over = Promise.withResolvers<void>();
    const serve: Serve = async ({ send }) => {
      for (const body of [1, 2]) await send({ body });
      await over.promise;
      return { body: {} };
    };
    const { near, clock } = aLinkPair({ far: { serve } });
    const items: unknown[] = [];
    near.follow("follow", { body: {} }, ({ body }) => void items.push(body));
    await clock.settle();
    expect(items).toEqual([1, 2]);
    expect(near.isClosed).toBe(false);
    over.resolve();
    await near.closed;
  });

  test("transfers errors as the result of describeError()", async () => {
    const serve: Serve = async () => {
      throw new Error("secret");
    };
    const { near } = aLinkPair({ far: { serve, describeError: () => ({ reason: "No" }) } });
    const error = await near.request("x", { body: {} }, options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ZoneAnswerError);
    expect(error).toHaveProperty("body", { reason: "No" });
  });

  test("cancels a request, and the other side is notified", async () => {
    const cancelled = Promise.withResolvers<void>();
    const serve: Serve = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          cancelled.resolve();
          reject(new Error("cancelled"));
        });
      });
    const { near } = aLinkPair({ far: { serve } });
    const unwanted = new AbortController();
    const answer = near.request("x", { body: {} }, { ...options, cancel: unwanted.signal });
    unwanted.abort();
    await cancelled.promise;
    await expect(answer).rejects.toBeInstanceOf(ZoneAnswerError);
  });

  test("fails a request at its deadline, and drops later messages for it", async () => {
    const turn = Promise.withResolvers<void>();
    const serve: Serve = async ({ name, send }) => {
      if (name === "slow") await turn.promise;
      await send({ body: 1 });
      return { body: name };
    };
    const { near, clock } = aLinkPair({ far: { serve } });
    const slow = near.request("slow", { body: {} }, { ...options, deadlineMs: 1_000, onItem: () => {} });
    const failed = expect(slow).rejects.toBeInstanceOf(ZoneDeadlineError);
    await clock.advance(1_000);
    await failed;
    turn.resolve();
    await clock.settle();
    expect(await near.request("quick", { body: {} }, { ...options, onItem: () => {} })).toBe("quick");
    expect(near.isClosed).toBe(false);
  });

  test("fails running requests when the connection ends, on both sides", async () => {
    const signals: AbortSignal[] = [];
    const serve: Serve = ({ signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const { near, far, clock } = aLinkPair({ far: { serve } });
    const answer = near.request("x", { body: {} }, options);
    const failed = expect(answer).rejects.toBeInstanceOf(ZoneLostError);
    await clock.settle();
    far.close();
    await failed;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(near.request("x", { body: {} }, options)).rejects.toBeInstanceOf(ZoneLostError);
  });

  test("waits for a reader that is slower than the writer", async () => {
    let sent = 0;
    const serve: Serve = async ({ send }) => {
      for (; sent < 100; sent++) await send({ body: sent, parts: [Buffer.alloc(100_000)] });
      return { body: {} };
    };
    const { peer, clock } = aLinkToPeer({ serve });
    peer.pause();
    peer.write(hello);
    peer.write(encodeFrame({ is: "request", id: 1, name: "all", body: {} }));
    await clock.settle();
    expect(sent).toBeLessThan(5);
    peer.resume();
    while (sent < 100) await clock.settle();
  });

  test.for([
    { what: "no hello", frames: [{ is: "request", id: 1, name: "x", body: {} }] },
    { what: "another version", frames: [{ is: "hello", protocol: 2, zone: "test" }] },
    { what: "another zone", frames: [{ is: "hello", protocol: 1, zone: "other" }] },
    { what: "a second hello", frames: [hello, { is: "hello", protocol: 1, zone: "test" }] },
    { what: "an answer without a request", frames: [hello, { is: "answer", id: 7, body: {} }] },
    { what: "an item without a request", frames: [hello, { is: "item", id: 1, body: {} }] },
    { what: "no id", frames: [hello, { is: "answer", body: {} }] },
    { what: "an unknown type", frames: [hello, { is: "other", id: 1 }] },
    {
      what: "a repeated id",
      frames: [hello, ...[1, 1].map((id) => ({ is: "request", id, name: "x", body: {} }))],
    },
    {
      what: "too many requests",
      frames: [
        hello,
        ...Array.from({ length: 300 }, (_, at) => ({ is: "request", id: at + 1, name: "x", body: {} })),
      ],
    },
    { what: "garbage", frames: [hello, Buffer.from("ffffffffffff", "hex")] },
  ])("disconnects for $what", async ({ frames }) => {
    const { link, peer } = aLinkToPeer({ serve: () => new Promise(() => {}) });
    for (const frame of frames) peer.write(Buffer.isBuffer(frame) ? frame : encodeFrame(frame));
    expect(await link.closed).toBeInstanceOf(ZoneProtocolError);
    await expect(link.request("x", { body: {} }, options)).rejects.toBeInstanceOf(ZoneLostError);
  });

  test("disconnects for an answer that its reader rejects, and fails the request as lost", async () => {
    const { near } = aLinkPair();
    const read = (): never => {
      throw new Error("not what was asked for");
    };
    await expect(near.request("x", { body: {} }, { ...options, read })).rejects.toBeInstanceOf(ZoneLostError);
    expect(await near.closed).toBeInstanceOf(ZoneProtocolError);
  });

  test("handles any frames of an untrusted side: they are served, rejected or disconnected", async () => {
    const aHeader = fc.record(
      {
        is: fc.constantFrom("request", "cancel", "item", "answer", "error", "hello", 3, null),
        id: fc.oneof(fc.integer({ min: -1, max: 4 }), fc.jsonValue({ maxDepth: 1 })),
        name: fc.oneof(fc.string({ maxLength: 5 }), fc.constant(null)),
        body: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(aHeader, { maxLength: 8 }), async (headers) => {
        const { link, peer, clock } = aLinkToPeer({ serve: serveEcho });
        peer.write(hello);
        const answer = link.request("x", { body: {} }, options).catch((error: unknown) => error);
        for (const header of headers) peer.write(encodeFrame(header));
        peer.end();
        await link.closed;
        await answer;
        expect(link.isClosed).toBe(true);
        await clock.settle({ turns: 2 });
      }),
    );
  });
});
