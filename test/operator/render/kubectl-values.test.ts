import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readOrRefuse } from "../../fakes/yaml-readers.ts";

/**
 * Texts, and their values in sigs.k8s.io/yaml 1.6 (kubectl), recorded on 2026-11-23. The texts are random combinations
 * of lines. 60 of them are rejected here: of most of these, kubectl parses only the first part, and drops the rest.
 */
const cases = readFileSync(join(import.meta.dirname, "kubectl-values.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as readonly [string, unknown]);

describe("readYaml()", () => {
  test("reads the same value as kubectl, or rejects the text", () => {
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
