import { describe, expect, test } from "vitest";
import { RenderEndedError } from "../../../operator/errors.ts";
import type { IncomingRequest, Serve } from "../../../operator/zones/incoming-requests.ts";
import { aFolder, request } from "../../fakes/renderer-bench.ts";
import {
  aFakeZone,
  anObject,
  aSocketFolder,
  aZoneRunner,
  configMap,
  patient,
  sends,
  someEdges,
  theEnd,
} from "../../fakes/sandbox-zone.ts";

describe("ZoneRenderRunner, with a zone that sends invalid data", () => {
  const many = Array.from({ length: 10_001 }, (_, index) => anObject(configMap(`c${index}`)));
  const two = [anObject(configMap("a")), anObject(configMap("b"))];
  const pairs = (count: number): number[] => Array.from({ length: 2 * count }, (_, index) => (index + 1) % 2);
  test.for([
    { what: "an object that is not JSON", serve: sends(anObject("{")) },
    { what: "an object that is a list", serve: sends(anObject("[]")) },
    { what: "an object without a name", serve: sends(anObject({ ...configMap("a"), metadata: {} })) },
    { what: "a name with a slash", serve: sends(anObject(configMap("a/b"))) },
    {
      what: "a namespace with dots",
      serve: sends(anObject({ ...configMap("a"), metadata: { name: "a", namespace: ".." } })),
    },
    {
      what: "a label that is not text",
      serve: sends(anObject({ ...configMap("a"), metadata: { name: "a", labels: { b: 1 } } })),
    },
    {
      what: "a key __proto__",
      serve: sends(
        anObject('{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"x":{"\\u005f_proto__":1}}'),
      ),
    },
    { what: "an object twice", serve: sends(anObject(configMap("a")), anObject(configMap("a"))) },
    {
      what: "bytes that are not UTF-8",
      serve: sends({ body: { origin: "" }, parts: [Buffer.from([0xff])] }),
    },
    {
      what: "an object that is nested deeply",
      serve: sends(anObject({ ...configMap("a"), x: nested(300) })),
    },
    { what: "a million brackets", serve: sends(anObject("[".repeat(1_000_000))) },
    { what: "a million values", serve: sends(anObject({ ...configMap("a"), x: Array(500_000).fill(0) })) },
    {
      what: "an object that is too large",
      serve: sends(anObject({ ...configMap("a"), x: "x".repeat(1.6 * 2 ** 20) })),
    },
    { what: "too many objects", serve: sends(...many) },
    { what: "an item without content", serve: sends({ body: { origin: 1 } as never, parts: [] }) },
    { what: "an object without its text", serve: sends({ body: { origin: "" }, parts: [] }) },
    { what: "edges to unknown objects", serve: sends(someEdges(0, 1)) },
    { what: "edges before their objects", serve: sends(someEdges(0, 0), anObject(configMap("a"))) },
    { what: "half an edge", serve: sends(anObject(configMap("a")), someEdges(0)) },
    { what: "more edges than an item may have", serve: sends(...two, someEdges(...pairs(8_193))) },
    { what: "too many edges", serve: sends(...two, ...Array(13).fill(someEdges(...pairs(8_192)))) },
    {
      what: "details of a million values",
      serve: async () => ({ ...theEnd(), parts: [Buffer.from(`{"warnings":[${"0,".repeat(500_000)}0]}`)] }),
    },
    { what: "a path above the folder", serve: async () => theEnd({ readPaths: ["../secret"] }) },
    { what: "an unknown field", serve: async () => theEnd({ verified: true }) },
    { what: "an unexpected digest", serve: async () => theEnd({}, { digest: "0".repeat(32) }) },
    { what: "details that are not JSON", serve: async () => ({ ...theEnd(), parts: [Buffer.from("{")] }) },
    { what: "too many frames", serve: flood },
  ] satisfies readonly { readonly what: string; readonly serve: Serve }[])(
    "disconnects a zone that sends $what",
    async ({ serve }) => {
      const folder = aSocketFolder();
      await aFakeZone(folder, serve);
      const { runner, log } = aZoneRunner(folder);
      // It does so each time.
      await expect(runner.run(request("a/b", aFolder("a")), patient)).rejects.toBeInstanceOf(
        RenderEndedError,
      );
      expect(log.entries.at(-1)?.fields).toMatchObject({
        reason: expect.stringContaining("violated the protocol"),
      });
    },
  );
});

function nested(depth: number): unknown {
  return depth === 0 ? 0 : [nested(depth - 1)];
}

async function flood({ send, signal }: IncomingRequest): Promise<never> {
  for (let index = 0; ; index++) {
    signal.throwIfAborted();
    await send(anObject({ ...configMap(`c${index}`), x: "x".repeat(1_000_000) }));
  }
}
