import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readOrRefuse } from "../../fakes/yaml-readers.ts";

/**
 * Texts, and what sigs.k8s.io/yaml 1.6 (kubectl) makes of each, asked on 2026-11-23. The texts are lines put together at random. 60 of
 * them are refused here: of most, kubectl reads only the first part, and the rest is lost.
 */
const cases = readFileSync(join(import.meta.dirname, "kubectl-values.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as readonly [string, unknown]);

describe("readYaml()", () => {
  test("reads what kubectl reads, or refuses it", () => {
    let refused = 0;
    for (const [text, value] of cases) {
      const result = readOrRefuse(text);
      if ("refused" in result) refused++;
      // As JSON: kubectl has no -0.
      else expect(JSON.parse(JSON.stringify(result.value)), text).toEqual(value);
    }
    expect([cases.length, refused]).toEqual([500, 60]);
  });
});
