import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("docs/own-kinds.md shows the kind whose record, verdict and retirement are tested", () => {
  const kind = read("test/fakes/batch-kind.ts").replace('"../../index.ts"', '"fairlead"');
  expect(read("docs/own-kinds.md")).toContain(`\n\`\`\`ts\n${kind}\`\`\`\n`);
});
