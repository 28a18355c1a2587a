import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { SharedTexts } from "../../../operator/cluster/shared-texts.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const read = (object: object): LiveObject => JSON.parse(JSON.stringify(object));

describe("shared texts", () => {
  test("leave every object as it is", () => {
    const texts = new SharedTexts();
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const object = { metadata: { name: "a" }, spec: fields, status: fields };
        const before = read(object);
        expect(texts.shareIn(read(object))).toEqual(before);
      }),
    );
  });

  test("never change an object that was read before", () => {
    const texts = new SharedTexts();
    const message = "Deployment has minimum availability.";
    const first = texts.shareIn(read({ status: { conditions: [{ message }] } }));
    texts.shareIn(read({ status: { conditions: [{ message: `${message}!` }] } }));
    expect(first["status"]).toEqual({ conditions: [{ message }] });
  });

  test("work for objects of more levels than the stack holds", () => {
    let spec: object = { last: "the innermost text" };
    for (let level = 0; level < 10_000; level++) spec = { spec };
    const object = { spec } as unknown as LiveObject;
    expect(new SharedTexts().shareIn(object)).toBe(object);
  });

  test("keep equal texts of many objects once", () => {
    const count = 50_000;
    const objectsWith = (texts: SharedTexts | undefined) =>
      Array.from({ length: count }, () => {
        const object = read({ status: { message: "Deployment has minimum availability." } });
        return texts?.shareIn(object) ?? object;
      });
    const bytes = (texts: SharedTexts | undefined): number => {
      const before = heapUsed();
      const objects = objectsWith(texts);
      const after = heapUsed();
      expect(objects).toHaveLength(count);
      return after - before;
    };
    bytes(undefined);
    // Each text takes 56 bytes.
    expect(bytes(undefined) - bytes(new SharedTexts())).toBeGreaterThan(count * 40);
  });
});
