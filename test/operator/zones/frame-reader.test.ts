import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrame, encodePieces, type Frame } from "../../../operator/zones/frame.ts";
import { FrameError, FrameReader } from "../../../operator/zones/frame-reader.ts";
import { limitRuns } from "../../long.ts";

const limits = { headerBytes: 1_000, parts: 8, bytes: 100_000 };

const aFrame = fc.record({
  header: fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  parts: fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }),
});

/** Bytes as they might arrive. */
function* split(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe("FrameReader", () => {
  test("returns the same frames however the stream is split", () => {
    fc.assert(
      fc.property(
        fc.array(aFrame, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 10 }),
        (frames, sizes) => {
          const sent = frames
            .map(({ header, parts }) => ({ header: JSON.parse(JSON.stringify(header)) as object, parts }))
            .filter(({ header }) => JSON.stringify(header).length <= 300);
          const bytes = Buffer.concat(sent.map(({ header, parts }) => encodeFrame(header, parts)));
          const reader = new FrameReader(limits);
          const received: Frame[] = [];
          for (const chunk of split(bytes, sizes)) received.push(...reader.push(chunk));
          expect(received).toEqual(
            sent.map(({ header, parts }) => ({ header, parts: parts.map((part) => Buffer.from(part)) })),
          );
          expect(reader.isBetweenFrames).toBe(true);
        },
      ),
    );
  });

  test("returns frames or an error for any bytes, and keeps no more than one frame may have", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }),
        fc.boolean(),
        (chunks, isPlausible) => {
          const reader = new FrameReader(limits);
          try {
            // Most random bytes are rejected at once: after a valid beginning they are read further.
            if (isPlausible) reader.push(encodeFrame({ is: "item" }, []).subarray(0, -1));
            for (const chunk of chunks) reader.push(Buffer.from(chunk));
          } catch (error) {
            expect(error instanceof FrameError || error instanceof RangeError).toBe(true);
          }
        },
      ),
      { numRuns: limitRuns(500) },
    );
  });

  test("reads a large part that arrives byte by byte in linear time", () => {
    // Joining all received bytes for each byte would copy 2^39 bytes.
    const part = Buffer.alloc(2 ** 20, 7);
    const bytes = encodeFrame({}, [part]);
    const reader = new FrameReader({ ...limits, bytes: 2 ** 21 });
    const received: Frame[] = [];
    for (let at = 0; at < bytes.length; at++) received.push(...reader.push(bytes.subarray(at, at + 1)));
    expect(received).toHaveLength(1);
    expect(received[0]?.parts[0]?.equals(part)).toBe(true);
  });

  test("rejects a length over the limit before the bytes arrive", () => {
    const reader = new FrameReader(limits);
    const announced = Buffer.concat([encodeFrame({}, [Buffer.alloc(0)]).subarray(0, -4), numberOf(100_000)]);
    expect(() => reader.push(announced)).toThrow(RangeError);
  });

  test("allocates no memory for an announced length", () => {
    const reader = new FrameReader({ ...limits, bytes: 2 ** 31 });
    const announced = Buffer.concat([encodeFrame({}, [Buffer.alloc(0)]).subarray(0, -4), numberOf(2 ** 30)]);
    const before = process.memoryUsage().arrayBuffers;
    expect(reader.push(announced)).toEqual([]);
    reader.push(Buffer.from("x"));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });

  test.for([
    { what: "a long header", bytes: numberOf(1_001) },
    { what: "many parts", bytes: Buffer.concat([encodeFrame({}).subarray(0, -4), numberOf(9)]) },
    { what: "a header that is not JSON", bytes: Buffer.concat([numberOf(1), Buffer.from("{")]) },
    { what: "a header that is a list", bytes: Buffer.concat([numberOf(2), Buffer.from("[]")]) },
    { what: "a header that is empty", bytes: numberOf(0) },
  ])("rejects $what", ({ bytes }) => {
    expect(() => new FrameReader(limits).push(Buffer.concat([bytes, Buffer.alloc(4)]))).toThrow(FrameError);
  });

  test("rejects a header that is nested too deeply", () => {
    const header = `{"a":${"[".repeat(500)}${"]".repeat(500)}}`;
    const bytes = Buffer.concat([numberOf(header.length), Buffer.from(header), Buffer.alloc(4)]);
    expect(() => new FrameReader({ ...limits, headerBytes: 2_000 }).push(bytes)).toThrow(FrameError);
  });
});

describe("encodePieces()", () => {
  test("returns the bytes of encodeFrame() without copying large parts", () => {
    const large = Buffer.alloc(20_000, 1);
    const pieces = encodePieces({ is: "item" }, [large]);
    expect(Buffer.concat(pieces).equals(encodeFrame({ is: "item" }, [large]))).toBe(true);
    expect(pieces).toContain(large);
    expect(encodePieces({}, [Buffer.alloc(10)])).toHaveLength(1);
  });
});

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
