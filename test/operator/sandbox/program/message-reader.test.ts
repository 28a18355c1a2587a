import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeMessage } from "../../../../operator/sandbox/program/inside/messages.ts";
import {
  MessageReader,
  SandboxGarbageError,
  type SandboxMessage,
} from "../../../../operator/sandbox/program/message-reader.ts";

function pushAll(reader: MessageReader, bytes: Buffer, sizes: readonly number[]): SandboxMessage[] {
  const messages: SandboxMessage[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const message = reader.push(bytes.subarray(at, at + size));
    at = Math.min(at + size, bytes.length);
    if (message !== undefined) messages.push(message);
    if (at === bytes.length) break;
  }
  return messages;
}

describe("MessageReader", () => {
  test("returns the written messages, for any chunks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 30 }),
        (parts, sizes) => {
          const bytes = encodeMessage({ kind: "ran" }, parts);
          const messages = pushAll(new MessageReader(10_000), bytes, sizes);
          expect(messages).toEqual([
            { header: { kind: "ran" }, parts: parts.map((part) => Buffer.from(part)) },
          ]);
        },
      ),
    );
  });

  test("allocates nothing beyond its limit", () => {
    const reader = new MessageReader(1_000);
    expect(() => reader.push(encodeMessage({ kind: "ran" }, [Buffer.alloc(2_000)]))).toThrow(RangeError);
  });

  test("rejects a length beyond its limit before the bytes arrive", () => {
    const promise = Buffer.concat([
      encodeMessage({ kind: "ran" }).subarray(0, -4),
      Buffer.from([0, 0, 0, 1]),
    ]);
    const reader = new MessageReader(1_000);
    expect(reader.push(promise)).toBeUndefined();
    expect(() => reader.push(Buffer.from([0x7f, 0, 0, 0]))).toThrow(RangeError);
  });

  test.for([
    { what: "a long header", bytes: Buffer.from("ffffffff", "hex") },
    {
      what: "many parts",
      bytes: Buffer.concat([encodeMessage({ kind: "ran" }).subarray(0, -4), Buffer.from("00ffffff", "hex")]),
    },
    { what: "a header that is no JSON", bytes: Buffer.from("000000017800000000", "hex") },
    {
      what: "more than one message",
      bytes: Buffer.concat([encodeMessage({ kind: "ran" }), Buffer.from("x")]),
    },
  ])("refuses $what", ({ bytes }) => {
    expect(() => new MessageReader(10_000).push(bytes)).toThrow(SandboxGarbageError);
  });

  test("reads a message in linear time, for chunks of any size", () => {
    // Reading the lengths again with each chunk takes minutes, and the test runner aborts after 20 seconds.
    const bytes = encodeMessage({ kind: "ran" }, [Buffer.alloc(500_000), Buffer.alloc(500_000)]);
    const reader = new MessageReader(2_000_000);
    let message: SandboxMessage | undefined;
    for (let at = 0; at < bytes.length; at += 2) message ??= reader.push(bytes.subarray(at, at + 2));
    expect(message?.parts.map(({ length }) => length)).toEqual([500_000, 500_000]);
  });
});
