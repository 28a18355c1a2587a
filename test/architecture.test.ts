import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { importTable as table } from "./import-table.ts";

const root = resolve(import.meta.dirname, "..");

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
  test.for(sources)("%s imports only folders and packages that are permitted for its folder", (file) => {
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

// esbuild keeps all of a namespace that is imported by its name, with 50 locales: 1.2 MB of the heap of every process.
test("zod is imported as a whole module, so that bundles contain only what is used of it", () => {
  const named = sources.filter((file) =>
    /import (z\b|\{[^}]*\bz\b)[^;]*from "zod"/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(named).toEqual([]);
});

describe("import cycles", () => {
  const imported = new Map(
    sources.map((file) => [
      file,
      importsOf(file)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => relative(root, resolve(root, file, "..", specifier))),
    ]),
  );

  /** Everything that a file imports, directly or not. */
  function reachOf(file: string): ReadonlySet<string> {
    const reached = new Set<string>();
    const open = [file];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const target of imported.get(next) ?? []) {
        if (!reached.has(target)) open.push(target);
        reached.add(target);
      }
    }
    return reached;
  }

  test("contain no files of different folders", () => {
    const reaches = new Map(sources.map((file) => [file, reachOf(file)]));
    const across = sources.flatMap((file) =>
      (imported.get(file) ?? [])
        .filter((target) => dirname(target) !== dirname(file) && reaches.get(target)?.has(file))
        .map((target) => `${file} → ${target}`),
    );
    expect(across).toEqual([]);
  });
});

/** Files of the engine and of the desired sets that await something: the steps and the wiring. The others are decisions. */
const awaiting: ReadonlySet<string> = new Set([
  ...[
    "add",
    "add-to-others",
    "apply",
    "attempt",
    "confirm-wanted",
    "converge",
    "finalize",
    "in-order",
    "prune",
    "prune-surplus",
    "release-runs",
    "remove-fields",
    "report",
    "settle-all",
    "write-status",
  ].map((step) => `operator/engine/${step}.ts`),
  ...[
    "converge-kind",
    "finalize",
    "follow-source",
    "kind-steps",
    "release-orphans",
    "retire",
    "write-record",
  ].map((step) => `operator/desire/chart/${step}.ts`),
  "operator/desire/source/kind-sources.ts",
  ...[
    "compose-releases",
    "compose-sources",
    "converge-release",
    "finalize-release",
    "keep-deployed",
    "leave-release",
    "next-plans",
    "next-release",
    "next-source",
    "plan-next",
    "plan-objects",
    "release-steps",
    "record-set",
    "release-controller",
    "release-publishers",
    "source-release",
  ].map((step) => `operator/desire/release/${step}.ts`),
]);

describe("the sources", () => {
  test.for(files)("%s has at most 250 lines", (file) => {
    expect(readFileSync(join(root, file), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(250);
  });

  test.for(sources.filter((file) => /^operator\/(engine|desire)\//.test(file) && !awaiting.has(file)))(
    "%s neither awaits nor reads a clock",
    (file) => {
      const code = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      expect(
        code.match(/\bawait\b|\basync\b|Date\.now|performance\.now|new Date\(\)|Math\.random|process\.env/g),
      ).toBeNull();
    },
  );

  test("only time-slice.ts and the processes of programs yield to the event loop by themselves", () => {
    const yielding = sources.filter(
      (file) =>
        /^operator\/(?!sandbox\/program\/inside\/)/.test(file) &&
        /await (new Promise\()?setImmediate|import \{ setImmediate/.test(
          readFileSync(join(root, file), "utf8"),
        ),
    );
    expect(yielding).toEqual(["operator/runtime/time-slice.ts"]);
  });

  test.for(
    sources.filter(
      (file) =>
        !/^(cli|rig|operator\/(config|main|git\/(source|publish)\/(main|worker))\.ts|synth\/main\.ts)/.test(
          file,
        ),
    ),
  )("%s reads no environment", (file) => {
    const code = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    expect(code).not.toMatch(/process\.env\b/);
  });

  test.for([
    { what: "plans", call: /\bplanChanges\(\{/, by: ["operator/engine/converge.ts", "cli/why/recompute.ts"] },
    {
      what: "decides about one object",
      call: /(?<!function )\bdecideObject\(/,
      by: ["operator/engine/plan.ts"],
    },
    { what: "prunes", call: /(?<!function )\bpruneSurplus\(/, by: ["operator/engine/converge.ts"] },
    { what: "writes statuses", call: /\.patchStatus\(/, by: ["operator/engine/write-status.ts"] },
  ])("one part of the engine $what", ({ call, by }) => {
    const calling = sources.filter(
      (file) =>
        /^(cli|operator\/(engine|desire|compose))\//.test(file) &&
        call.test(readFileSync(join(root, file), "utf8")),
    );
    expect(calling.toSorted()).toEqual(by.toSorted());
  });

  test("operator/ has only the loop, the wiring, the ports and the folders of DESIGN.md and docs/decisions.md", () => {
    const entries = readdirSync(join(root, "operator"), { withFileTypes: true });
    const namesOf = (isFolder: boolean) =>
      entries
        .filter((entry) => entry.isDirectory() === isFolder)
        .map(({ name }) => name)
        .sort();
    expect(namesOf(false)).toEqual([
      "compose.ts",
      "config.ts",
      "errors.ts",
      "main.ts",
      "ports.ts",
      "reconcile.ts",
    ]);
    expect(namesOf(true)).toEqual([
      ...["cluster", "compose", "config", "desire", "engine", "git", "hooks", "render", "runtime", "sandbox"],
      ...["telemetry", "zones"],
    ]);
  });
});

/** Wiring: the files that connect `operator/desire/` to the rest of the operator. */
const wiring: ReadonlySet<string> = new Set(["operator/compose.ts", "operator/config.ts"]);

describe("Releases", () => {
  const outside = sources.filter((file) => /^operator\/(?!desire\/)/.test(file));

  test.for(outside)("%s neither imports nor names them", (file) => {
    const forbidden = wiring.has(file)
      ? /crds\/release(-[a-z]+)?\.ts$/
      : /\/desire\/|crds\/release(-[a-z]+)?\.ts$/;
    expect(importsOf(file).filter((specifier) => forbidden.test(specifier))).toEqual([]);
    // Texts for users may name the kind.
    const code = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    expect(code).not.toMatch(/["/]Release(Policy)?"/);
  });
});
