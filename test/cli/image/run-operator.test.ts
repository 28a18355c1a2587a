import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const fileOfImage = "cli/image/run-operator.ts";
const ofPipelines = (file: string): boolean => file.startsWith("charts/pipeline/");

/** The files that a file loads when it is imported. */
function loadedBy(file: string): readonly string[] {
  const [loaded, open] = [new Set<string>(), [file]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const text = readFileSync(join(root, next), "utf8");
    for (const [, type, specifier = ""] of text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;"()]*?from\s+"(\.[^"]+)"/g,
    )) {
      const target = relative(root, resolve(root, next, "..", specifier));
      if (type !== undefined || loaded.has(target)) continue;
      loaded.add(target);
      open.push(target);
    }
  }
  return [...loaded];
}

test("the image loads the code of Pipelines only for an operator with Releases", () => {
  expect(loadedBy("charts/bindings-delivery.ts").filter(ofPipelines)).not.toEqual([]);
  expect(loadedBy(fileOfImage)).toContain("charts/bindings.ts");
  expect(loadedBy(fileOfImage).filter(ofPipelines)).toEqual([]);
});
