import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What a folder may import besides itself: folders (or files) of the project, and packages. DESIGN.md section 1. */
const table: Record<string, { folders: readonly string[]; packages: readonly string[] }> = {
  crds: { folders: [], packages: ["zod", "node:crypto"] },
  constructs: { folders: ["crds"], packages: ["cdk8s", "cdk8s-plus-27", "constructs"] },
  charts: { folders: ["constructs", "crds"], packages: ["cdk8s", "cdk8s-plus-27", "constructs", "zod"] },
  "synth/main.ts": {
    folders: ["synth", "charts", "constructs", "crds"],
    packages: ["cdk8s", "constructs", "node:*"],
  },
  synth: { folders: ["crds"], packages: ["cdk8s", "constructs", "yaml", "zod", "node:crypto"] },
  "operator/core": {
    folders: ["operator/ports.ts", "operator/errors.ts", "synth", "crds"],
    packages: ["node:crypto"],
  },
  "operator/phases": {
    folders: ["operator/core", "operator/ports.ts", "operator/errors.ts", "synth", "crds"],
    packages: [],
  },
  "operator/runtime": {
    folders: ["operator/core", "operator/ports.ts", "operator/errors.ts", "synth", "crds"],
    packages: ["node:*"],
  },
  "operator/cluster": {
    folders: [
      "operator/core",
      "operator/ports.ts",
      "operator/errors.ts",
      "operator/runtime/backoff.ts",
      "synth",
      "crds",
    ],
    packages: ["node:*", "undici", "yaml", "@kubernetes/client-node"],
  },
  "operator/git": {
    folders: [
      "operator/core",
      "operator/ports.ts",
      "operator/errors.ts",
      "operator/runtime/backoff.ts",
      "synth",
      "crds",
    ],
    packages: ["node:*", "simple-git", "yaml"],
  },
  "operator/telemetry": {
    folders: ["operator/core", "operator/ports.ts", "operator/errors.ts", "crds"],
    packages: ["node:*", "pino", "prom-client", "@opentelemetry/api"],
  },
  "operator/release/core": {
    folders: [
      "operator/release/ports.ts",
      "operator/release/errors.ts",
      "operator/core",
      "operator/ports.ts",
      "operator/errors.ts",
      "synth",
      "crds",
    ],
    packages: ["node:crypto", "semver", "@marcbachmann/cel-js"],
  },
  "operator/release/phases": {
    folders: [
      "operator/release/core",
      "operator/release/ports.ts",
      "operator/release/errors.ts",
      "operator/phases",
      "operator/core",
      "operator/ports.ts",
      "operator/errors.ts",
      "synth",
      "crds",
    ],
    packages: [],
  },
  "operator/release/sources": {
    folders: [
      "operator/release/core",
      "operator/release/ports.ts",
      "operator/release/errors.ts",
      "operator/git",
      "operator/core",
      "operator/ports.ts",
      "operator/errors.ts",
      "operator/runtime/backoff.ts",
      "synth",
      "crds",
    ],
    packages: ["node:*"],
  },
  "operator/release/render": {
    folders: [
      "operator/release/core",
      "operator/release/program",
      "operator/release/ports.ts",
      "operator/release/errors.ts",
      "operator/ports.ts",
      "operator/errors.ts",
      "synth",
      "crds",
    ],
    packages: ["node:*", "yaml", "ignore"],
  },
  "operator/release/program": {
    folders: [
      "operator/release/core",
      "operator/release/ports.ts",
      "operator/release/errors.ts",
      "operator/ports.ts",
      "operator/errors.ts",
      "synth",
      "crds",
    ],
    packages: ["node:*", "esbuild", "yaml"],
  },
  // What runs in the processes of programs: it brings cdk8s along, and nothing of the operator.
  "operator/release/program/inside": {
    folders: [],
    packages: ["node:buffer", "node:fs", "node:vm", "cdk8s", "cdk8s-plus-27", "constructs", "yaml", "zod"],
  },
  "operator/release/cluster": {
    folders: [
      "operator/release/core",
      "operator/release/ports.ts",
      "operator/release/errors.ts",
      "operator/cluster",
      "operator/runtime",
      "operator/core",
      "operator/ports.ts",
      "operator/errors.ts",
      "synth",
      "crds",
    ],
    packages: ["node:*"],
  },
  "operator/release/hooks": {
    folders: [
      "operator/release/ports.ts",
      "operator/release/errors.ts",
      "operator/runtime",
      "operator/ports.ts",
      "operator/errors.ts",
      "crds",
    ],
    packages: ["node:*"],
  },
  operator: { folders: ["operator", "synth", "crds"], packages: ["node:*", "zod"] },
  cli: {
    folders: ["index.ts", "operator", "charts", "constructs", "synth", "crds"],
    packages: ["node:*", "cdk8s", "commander", "diff", "listr2", "yaml", "zod"],
  },
  "cli/image": {
    folders: ["operator", "charts"],
    packages: ["node:*", "esbuild"],
  },
  "index.ts": {
    folders: ["operator", "charts", "constructs", "synth", "crds", "cli/commands"],
    packages: [],
  },
  // What a Release deploys in the demo: a program as anybody writes one.
  samples: { folders: [], packages: ["cdk8s", "cdk8s-plus-27", "constructs"] },
  // Measures the operator that ships, with its kinds, where the rest measures one that is built on the package.
  "bench/releases": {
    folders: ["bench", "charts/bindings.ts", "cli/commands/crds.ts", "cli/local-cluster", "cli/image"],
    // cdk8s only in the text of a program that is deployed.
    packages: ["node:*", "cdk8s", "commander"],
  },
  "bench/contestant": { folders: ["index.ts"], packages: ["node:*", "cdk8s", "constructs", "zod"] },
  bench: {
    folders: ["index.ts", "cli/local-cluster", "cli/image"],
    packages: ["node:*", "cdk8s", "commander", "zod"],
  },
};

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !/(^|\/)(node_modules|dist)\//.test(file))
  .filter((file) => !file.startsWith("."));
const sources = files.filter((file) => !file.startsWith("test/"));

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^;"]*?from\s+"([^"]+)"|(?:^|\n)\s*import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), "utf8").matchAll(importPattern)].map(
    ([, named, bare, dynamic]) => named ?? bare ?? dynamic ?? "",
  );

const ruleOf = (file: string): string | undefined =>
  Object.keys(table)
    .filter((key) => file === key || file.startsWith(`${key}/`))
    .toSorted((a, b) => b.length - a.length)[0];

describe("the import table", () => {
  test.for(sources)("%s imports only what its folder may", (file) => {
    const key = ruleOf(file);
    expect(key, `no rule for ${file}: name its folder in the table`).toBeDefined();
    const rule = table[key ?? ""];
    if (rule === undefined || key === undefined) return;
    const offences = importsOf(file).filter((specifier) => {
      if (!specifier.startsWith(".")) {
        return !rule.packages.some((name) =>
          name === "node:*"
            ? specifier.startsWith("node:")
            : specifier === name || specifier.startsWith(`${name}/`),
        );
      }
      const target = relative(root, resolve(root, file, "..", specifier));
      const own = key.endsWith(".ts") ? [] : [key];
      return ![...own, ...rule.folders].some(
        (folder) => target === folder || target.startsWith(`${folder}/`),
      );
    });
    expect(offences).toEqual([]);
  });
});

describe("the sources", () => {
  test.for(files)("%s has at most 250 lines", (file) => {
    expect(readFileSync(join(root, file), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(250);
  });

  test.for(sources.filter((file) => /^operator\/(release\/)?core\//.test(file)))(
    "%s neither awaits nor reads a clock",
    (file) => {
      const code = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      expect(
        code.match(/\bawait\b|\basync\b|Date\.now|performance\.now|new Date\(\)|Math\.random|process\.env/g),
      ).toBeNull();
    },
  );

  test.for(
    sources.filter(
      (file) => !/^(cli|bench|operator\/config\.ts|operator\/main\.ts|synth\/main\.ts)/.test(file),
    ),
  )("%s reads no environment", (file) => {
    const code = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    expect(code).not.toMatch(/process\.env\b/);
  });
});
