import { describe, expect, test } from "vitest";
import { readLimits } from "../../../../operator/git/source/messages.ts";
import type { IncomingRequest, Serve } from "../../../../operator/zones/incoming-requests.ts";
import { aScriptedZone, aState, one, other, tree } from "../../../fakes/scripted-source-zone.ts";

const blob = "b".repeat(40);
const broken = "Lost the connection to a zone";

/** A ready source of a zone that sends invalid data as the test defines. */
async function aReadySource() {
  const scene = await aScriptedZone();
  const { zone, it } = scene;
  it.ask("ns/a");
  await it.until(() => zone.wanted.has("ns/a"));
  zone.say("ns/a", aState(one));
  return { ...scene, revision: await it.ready("ns/a") };
}

describe("ZoneSources", () => {
  const commit = aState(one).head;
  test.for([
    { what: "an invalid commit id", state: aState("../../etc") },
    { what: "an invalid tree id", state: aState(one, { tree: `${tree}\n` }) },
    { what: "a long subject", state: aState(one, { head: { ...commit, subject: "x".repeat(201) } }) },
    { what: "a subject of two lines", state: aState(one, { head: { ...commit, subject: "a\nb" } }) },
    { what: "an escape sequence", state: aState(one, { changed: { ...commit, author: "\u001b[2J" } }) },
    {
      what: "bidirectional control characters",
      state: aState(one, { head: { ...commit, author: "\u202eAnn" } }),
    },
    { what: "an invalid time", state: aState(one, { head: { ...commit, committedAt: "now" } }) },
    { what: "an unknown field", state: aState(one, { verified: true }) },
    { what: "a reason that a zone may not give", state: { reason: "RenderFailed", message: "no" } },
    { what: "a long message", state: { reason: "SourceRefused", message: "x".repeat(2_001) } },
    { what: "nothing", state: {} },
  ])("disconnects a zone that sends $what", async ({ state }) => {
    const { zone, it } = await aReadySource();
    const first = zone.follower;
    zone.say("ns/a", state);
    await it.until(() => it.log.messages("warn").includes(broken));
    // All requests are sent again, and the known state stays.
    expect(it.ask("ns/a")).toMatchObject({ state: "ready", revision: { head: { id: one } } });
    await it.until(() => zone.follower !== first && zone.wanted.has("ns/a"));
  });

  const lists: readonly {
    readonly what: string;
    readonly send: (request: IncomingRequest) => Promise<unknown>;
  }[] = [
    { what: "a path that leaves the folder", send: ({ send }) => send(aPart(`${blob} 1\0../a\0`)) },
    { what: "an absolute path", send: ({ send }) => send(aPart(`${blob} 1\0/a\0`)) },
    { what: "half an entry", send: ({ send }) => send(aPart(`${blob} 1\0a`)) },
    {
      what: "a million entries",
      send: ({ send }) => flood(() => send(aPart(`${blob} 1\0a\0`.repeat(1_000)))),
    },
    {
      what: "endless paths",
      send: ({ send }) => flood(() => send(aPart(`${blob} 1\0${"x".repeat(4_000)}\0`))),
    },
    { what: "a frame that is too large", send: ({ send }) => send(aPart("x".repeat(3 * 2 ** 20))) },
  ];
  test.for(lists)("disconnects a zone that lists $what", async ({ send }) => {
    const { zone, it, revision } = await aReadySource();
    await refuses(it, () => revision.files.list(), zone, send);
  });

  const reads: readonly {
    readonly what: string;
    readonly send: (request: IncomingRequest) => Promise<unknown>;
  }[] = [
    { what: "other files", send: ({ send }) => send({ body: { sizes: [1, 1, 1] } }) },
    { what: "no sizes", send: ({ send }) => send(aPart("abc")) },
    {
      what: "files that are too large",
      send: ({ send }) => send({ body: { sizes: [readLimits.bytes, 1] } }),
    },
    {
      what: "more bytes than the files have",
      send: async ({ send }) => {
        await send({ body: { sizes: [1, 1] } });
        await send(aPart("abc"));
      },
    },
    { what: "too few bytes", send: ({ send }) => send({ body: { sizes: [1, 1] } }) },
    {
      what: "endless empty pieces",
      send: async ({ send }) => {
        await send({ body: { sizes: [1, 1] } });
        await flood(() => send(aPart("")));
      },
    },
  ];
  test.for(reads)("disconnects a zone that reads $what", async ({ send }) => {
    const { zone, it, revision } = await aReadySource();
    await refuses(it, () => revision.files.read([blob, other]), zone, send);
  });

  const span = { since: one, until: other };
  const claims: readonly {
    readonly what: string;
    readonly send: (request: IncomingRequest) => Promise<unknown>;
  }[] = [
    { what: "no authors", send: async () => undefined },
    { what: "items without authors", send: ({ send }) => flood(() => send(aPart(""))) },
    { what: "half an author", send: ({ send }) => send(aPart(`${one}\0ada@example.dev`)) },
    { what: "an author without a commit", send: ({ send }) => send(aPart("HEAD\0ada@example.dev\0")) },
    { what: "an empty address", send: ({ send }) => send(aPart(`${one}\0\0`)) },
    { what: "an address with blanks", send: ({ send }) => send(aPart(`${one}\0ada @example.dev\0`)) },
    { what: "an escape sequence", send: ({ send }) => send(aPart(`${one}\0\u001b[2J@example.dev\0`)) },
    {
      what: "text with bidirectional control characters",
      send: ({ send }) => send(aPart(`${one}\0\u202eada@x.dev\0`)),
    },
    { what: "a long address", send: ({ send }) => send(aPart(`${one}\0${"x".repeat(321)}\0`)) },
    { what: "bytes that are not text", send: ({ send }) => send(aPart(Buffer.from([0xff, 0]))) },
    {
      what: "endless authors",
      send: ({ send }) => flood(() => send(aPart(`${one}\0ada@example.dev\0`))),
    },
    {
      what: "a problem of an unknown type",
      send: ({ send }) => send({ body: { problem: { is: "Tired" } } }),
    },
    {
      what: "an invalid commit",
      send: ({ send }) => send({ body: { problem: { is: "Unreadable", commit: "../x" } } }),
    },
    {
      what: "endless problems",
      send: ({ send }) => flood(() => send({ body: { problem: { is: "NotAncestor" } } })),
    },
    {
      what: "authors in addition to a problem",
      send: async ({ send }) => {
        await send({ body: { problem: { is: "NotAncestor" } } });
        await send(aPart(`${one}\0ada@example.dev\0`));
      },
    },
  ];
  test.for(claims)("disconnects a zone that names $what of a span", async ({ send }) => {
    const { zone, it, revision } = await aReadySource();
    await refuses(it, () => revision.authorsOf(span), zone, send);
  });

  test("ignores the reason in an error answer that a zone may not set", async () => {
    const { zone, it, revision } = await aReadySource();
    zone.more = () => Promise.reject(new Error("The operator's own token is abc"));
    let error: unknown;
    revision.files.list().catch((reason: unknown) => {
      error = reason;
    });
    await it.until(() => error !== undefined);
    expect(error).toMatchObject({ reason: "SourceUnreachable" });
    expect(String(error)).not.toContain("token");
  });

  test("reconnects when the zone rejects its requests", async () => {
    const { zone, it } = await aReadySource();
    const first = zone.follower;
    zone.hangs = true;
    it.ask("ns/b");
    await it.until(() => it.log.messages("warn").includes(broken), { stepMs: 1_000 });
    zone.hangs = false;
    await it.until(() => zone.follower !== first && zone.wanted.has("ns/b"));
  });

  test("reconnects with backoff to a zone that violates the protocol", async () => {
    const { zone, it } = await aScriptedZone();
    let connections = 0;
    zone.onFollow = ({ send }) => {
      connections++;
      void send({ body: { lie: true } });
    };
    it.ask("ns/a");
    await it.until(() => it.clock.now() > 60_000, { stepMs: 500 });
    expect(connections).toBeGreaterThan(5);
    expect(connections).toBeLessThan(30);
    expect(it.ask("ns/a")).toMatchObject({ state: "failed", failure: { reason: "SourceUnreachable" } });
  });
});

function aPart(text: string | Buffer) {
  return { body: {}, parts: [Buffer.from(text)] };
}

async function flood(send: () => Promise<void>): Promise<void> {
  for (let index = 0; index < 10_000; index++) await send();
}

/** Each attempt disconnects the zone; then the files cannot be read. */
async function refuses(
  it: Awaited<ReturnType<typeof aScriptedZone>>["it"],
  ask: () => Promise<unknown>,
  zone: Awaited<ReturnType<typeof aScriptedZone>>["zone"],
  send: (request: IncomingRequest) => Promise<unknown>,
): Promise<void> {
  let attempts = 0;
  const lie: Serve = async (request) => {
    attempts++;
    await send(request);
    return { body: {} };
  };
  zone.more = lie;
  let error: unknown;
  ask().catch((reason: unknown) => {
    error = reason;
  });
  await it.until(() => error !== undefined);
  expect(error).toMatchObject({ reason: "SourceUnreachable" });
  expect(attempts).toBe(3);
  expect(it.log.messages("warn").filter((message) => message === broken)).toHaveLength(3);
}
