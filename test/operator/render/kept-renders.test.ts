import { describe, expect, test } from "vitest";
import { KeptRenders, MemoryQuotaError } from "../../../operator/render/kept-renders.ts";

const mebibyte = 2 ** 20;
const limits = { all: 10 * mebibyte, perNamespace: 6 * mebibyte };

describe("KeptRenders", () => {
  test("limits the memory of the Releases of one namespace, with a message in numbers", () => {
    const kept = new KeptRenders(limits);
    kept.add("1", { namespace: "a", bytes: 4 * mebibyte });
    expect(() => kept.add("2", { namespace: "a", bytes: 3 * mebibyte })).toThrow(
      "the objects of all Releases in namespace a take 7.0 MiB of memory, at most 6.0 MiB are allowed",
    );
    kept.add("3", { namespace: "b", bytes: 3 * mebibyte });
  });

  test("refuses the namespace that exceeds its share when the total is exceeded", () => {
    const kept = new KeptRenders(limits);
    kept.add("1", { namespace: "a", bytes: 6 * mebibyte });
    kept.add("2", { namespace: "b", bytes: 3 * mebibyte });
    expect(() => kept.add("3", { namespace: "b", bytes: 3 * mebibyte })).toThrow(MemoryQuotaError);
    kept.add("4", { namespace: "c", bytes: 2 * mebibyte });
  });

  test("counts a render once, and no longer when it is removed", () => {
    const kept = new KeptRenders(limits);
    for (let round = 0; round < 3; round++) kept.add("1", { namespace: "a", bytes: 6 * mebibyte });
    kept.remove("1");
    kept.remove("1");
    kept.add("2", { namespace: "a", bytes: 6 * mebibyte });
  });
});
