import { describe, expect, test } from "vitest";
import { feed } from "../../../rig/fuzz/feed.ts";
import { grow, Inputs } from "../../../rig/fuzz/inputs.ts";
import { readers } from "../../../rig/fuzz/readers.ts";

const SEED = 20_261_122;
const SHORT = 400;
const SHAPES = 25;
/** Bytes. A reader with quadratic time takes minutes for all shapes of this size. */
const LONG = 16_384;

// `npm run test:fuzz` measures times, for as many inputs as wanted.
describe.for(readers.map((reader) => [reader.name, reader] as const))(
  "the reader of untrusted bytes: %s",
  ([, reader]) => {
    test("throws only its own errors", async () => {
      const random = new Inputs(SEED);
      for (let count = 0; count < SHORT; count++) {
        const bytes = random.short(reader.tokens);
        const { crash } = await feed(reader, bytes);
        expect(crash, JSON.stringify(bytes.toString("latin1"))).toBeUndefined();
      }
    });

    test("pauses at most twice as often when an input is doubled", async () => {
      const random = new Inputs(SEED);
      const size = Math.min(LONG, Math.floor(reader.largest / 2));
      for (let count = 0; count < SHAPES; count++) {
        const shape = random.shape(reader.tokens);
        const [once, twice] = [
          await feed(reader, grow(shape, size)),
          await feed(reader, grow(shape, 2 * size)),
        ];
        expect([once.crash, twice.crash], JSON.stringify(shape)).toEqual([undefined, undefined]);
        if (twice.isStepwise)
          expect(twice.pauses, JSON.stringify(shape)).toBeLessThanOrEqual(2.2 * once.pauses + 4);
      }
    });
  },
);
