import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { isOnPath } from "../../cli/local-cluster/search-path.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

/** The command of a shell that completes the last of some words; it prints a line for each completion. */
const askers = {
  bash: (script: string, words: readonly string[]) =>
    `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; ` +
    `_fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Provided by the completion system of an interactive shell.
  zsh: (script: string, words: readonly string[]) =>
    `compdef() { :; }; _files() { :; }; ` +
    `compadd() { if [[ $1 == -a ]]; then print -l -- \${(P)2}; else print -l -- "$@"; fi; }; ` +
    `_describe() { print -l -- \${\${(P)\${@[-1]}}%%:*}; }; ` +
    `source ${script}; words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; _fairlead`,
  fish: (script: string, words: readonly string[]) =>
    `source ${script}; complete -C '${words.join(" ")}' | string split -f1 \\t; true`,
} as const;
const shells = await Promise.all(
  (Object.keys(askers) as (keyof typeof askers)[]).map(async (shell) => ({
    shell,
    isThere: await isOnPath(shell, process.env),
  })),
);

describe.for(shells)("fairlead completion $shell", ({ shell, isThere }) => {
  let folder: string;
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}`, HOME: folder };
    const asked = askers[shell](join(folder, "script"), ["fairlead", ...words]);
    const { stdout } = await run(shell, ["-c", asked], { cwd: folder, env });
    const last = words.at(-1)?.replace(/^=$/, "") ?? "";
    return stdout
      .split("\n")
      .filter((line) => line !== "" && line.startsWith(last))
      .toSorted();
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "fairlead-completion-"));
    const { stdout } = await run(process.execPath, [join(root, "cli/fairlead.js"), "completion", shell]);
    writeFileSync(join(folder, "script"), stdout);
    // Has Releases with the names of its arguments.
    writeFileSync(
      join(folder, "fairlead"),
      '#!/bin/sh\necho web\necho worker\necho \'evil$(touch evil-ran)`touch evil-ran`\'\necho "flags$*" | tr -d " /"\n',
    );
    chmodSync(join(folder, "fairlead"), 0o755);
    return () => rmSync(folder, { recursive: true });
  });

  test.skipIf(!isThere)("completes commands", async () => {
    expect(await complete("re")).toEqual(["reconcile", "reject", "render", "resume"]);
    expect(await complete("cluster", "")).toEqual(expect.arrayContaining(["up", "status", "down"]));
  });

  test.skipIf(!isThere)("completes options of the command, and their values", async () => {
    expect(await complete("rollback", "--u")).toEqual(["--unpin"]);
    expect(await complete("cluster", "up", "--no")).toEqual(["--nodes"]);
    expect(await complete("get", "releases", "--output", "")).toEqual(
      expect.arrayContaining(["json", "name"]),
    );
    expect(await complete("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
  });

  test.skipIf(!isThere)(
    "completes names of Releases, which it looks up with the options of the line",
    async () => {
      expect(await complete("tree", "w")).toEqual(["web", "worker"]);
      expect(await complete("why", "w")).toEqual(["web", "worker"]);
      expect(await complete("suspend", "-n", "shop", "--context", "prod", "f")).toEqual([
        "flagsgetreleases--output=name-nshop--contextprod",
      ]);
      expect(await complete("crds", "w")).toEqual([]);
      expect(await complete("approve", "f")).toEqual(["flagsgetpipelines--output=name"]);
    },
  );

  test.skipIf(!isThere)("looks up names with options that are joined to their values", async () => {
    // From 4.0 on, bash splits it into three words.
    const joined = shell === "bash" ? ["--namespace", "=", "shop"] : ["--namespace=shop"];
    expect(await complete("tree", ...joined, "w")).toEqual(["web", "worker"]);
    const asked = shell === "bash" ? "--namespaceshop" : "--namespace=shop";
    expect(await complete("tree", ...joined, "f")).toEqual([`flagsgetreleases--output=name${asked}`]);
    expect(await complete("tree", "--namespace=shop", "f")).toEqual([
      "flagsgetreleases--output=name--namespace=shop",
    ]);
  });

  test.skipIf(!isThere)("does not execute code in a name that the API server sends", async () => {
    const [name] = await complete("tree", "evil");
    expect(existsSync(join(folder, "evil-ran"))).toBe(false);
    // fish shows the text that it would insert.
    expect(name?.replaceAll("\\", "")).toBe("evil$(touch evil-ran)`touch evil-ran`");
  });

  test.skipIf(!isThere || shell !== "bash")(
    "completes the value of an option that is joined to it",
    async () => {
      expect(await complete("get", "releases", "--output", "=", "na")).toEqual(["name"]);
      expect(await complete("get", "releases", "--output", "=")).toContain("json");
    },
  );
});
