import { expect, test } from "vitest";
import { read } from "../../fakes/yaml-readers.ts";

/** Reading it in quadratic time takes minutes. */
const MANY = 250_000;

test.for(["\u2028", "\u2029", "x"])(
  "a line with many headers of block scalars is read in linear time, also with %j in it",
  (end) => {
    const text = `c:\n  b: "${"|#".repeat(MANY)}${end}x"\n  a: [\n    1\n  ]\n`;
    expect(read(text)).toMatchObject({ c: { a: [1] } });
  },
);
