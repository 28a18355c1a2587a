import { type ExecFileOptions, execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { version } from "../../operator/telemetry/version.ts";

const root = resolve(import.meta.dirname, "../..");
const oldNode = "/usr/bin/node";

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function fairlead(
  args: readonly string[],
  { node = process.execPath, env = {} }: { readonly node?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Said> {
  const options = { env: { ...process.env, NO_COLOR: "1", ...env }, timeout: 15_000 };
  return run(node, [join(root, "cli/fairlead.js"), ...args], options);
}

function run(program: string, args: readonly string[], options: ExecFileOptions): Promise<Said> {
  const { promise, resolve: done } = Promise.withResolvers<Said>();
  execFile(program, args, { ...options, encoding: "utf8" }, (error, stdout, stderr) => {
    const code = error?.code === "ENOENT" ? 127 : Number(error?.code ?? (error === null ? 0 : -1));
    done({ code, stdout, stderr });
  });
  return promise;
}

describe("fairlead", () => {
  test.for([
    {
      args: ["--help"],
      says: /^Usage: fairlead[\s\S]*start[\s\S]*install[\s\S]*run[\s\S]*render[\s\S]*crds[\s\S]*cluster/,
    },
    {
      args: ["run", "--help"],
      says: /--kubeconfig <FILE>[\s\S]*--leader-elect[\s\S]*FAIRLEAD_[\s\S]*fairlead crds/,
    },
    {
      args: ["start", "--help"],
      says: /--kubeconfig <file>[\s\S]*removes the created samples[\s\S]*CustomResourceDefinitions stay/,
    },
    { args: ["help", "run"], says: /^Usage: fairlead run/ },
    { args: ["--version"], says: new RegExp(`^${version.replaceAll(".", "\\.")}\n$`) },
  ])("prints information for $args, exit code 0", async ({ args, says }) => {
    const { code, stdout, stderr } = await fairlead(args);
    expect(stdout).toMatch(says);
    expect([code, stderr]).toEqual([0, ""]);
  });

  test.for([
    { args: [], says: /^Usage: fairlead/ },
    { args: ["strat"], says: /unknown command 'strat'\n\(Did you mean start\?\)\n.*fairlead --help/ },
    {
      args: ["run", "--leader-elekt"],
      says: /unknown option '--leader-elekt'\n\(Did you mean --leader-elect\?\)\n.*fairlead run --help/,
    },
    { args: ["run", "extra"], says: /too many arguments for 'run'/ },
    { args: ["run", "--workers=zero"], says: /^fairlead: --workers: / },
    {
      args: ["start", "--kubeconfig=/no/such/file"],
      says: /^fairlead: Cannot read kubeconfig "\/no\/such\/file": no such file\n$/,
    },
    {
      args: ["install", "--set=replica=3", "--kubeconfig=/no/such/file"],
      says: /^fairlead: replica: unknown value; did you mean replicas\?\n$/,
    },
    {
      args: ["install", "--timeout=soon"],
      says: /^fairlead: Cannot use --timeout "soon": expected a duration/,
    },
    {
      args: ["uninstall", "--kubeconfig=/no/such/file"],
      says: /^fairlead: Cannot read kubeconfig "\/no\/such\/file": no such file\n$/,
    },
    { args: ["cluster", "nope"], says: /unknown command 'nope'/ },
    { args: ["render", "--weak-sandbox", "/no/such/file"], says: /Cannot read "\/no\/such\/file"/ },
  ])("reports the problem of $args, exit code 1, without a stack", async ({ args, says }) => {
    const { code, stderr } = await fairlead(args);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
  });

  test.for([
    { env: { npm_command: "exec" }, says: "(npx fairlead run --help lists the options)\n" },
    { env: { npm_command: "" }, says: "(fairlead run --help lists the options)\n" },
  ])("names the command that shows the options as it was started: $says", async ({ env, says }) => {
    expect((await fairlead(["run", "--nope"], { env })).stderr).toContain(says);
  });

  test.for([["diff"], ["why"]])(
    "reports the failure of %s with exit code 2, because 1 has another meaning",
    async ([name = ""]) => {
      const { code, stderr } = await fairlead([name, "web", "--kubeconfig=/no/such/file", "--weak-sandbox"]);
      expect(stderr).toMatch(/^fairlead: Cannot read kubeconfig "\/no\/such\/file"/);
      expect(code).toBe(2);
    },
  );

  test.for([
    { args: ["start"], env: { PATH: "" }, says: /^fairlead: Cannot find git: / },
    { args: ["run", "--releases"], env: { PATH: "" }, says: /^fairlead: Cannot find git: / },
    {
      args: ["run"],
      env: { PATH: "", FAIRLEAD_REPOSITORY: "https://h/r.git" },
      says: /^fairlead: Cannot find git: /,
    },
    {
      args: ["start"],
      env: { TMPDIR: "/dev/null/tmp" },
      says: /^fairlead: Cannot write to "\/dev\/null\/tmp": .*TMPDIR/,
    },
    {
      args: ["cluster", "up"],
      env: { FAIRLEAD_STATE: "/dev/null/state" },
      says: /^fairlead: Cannot write to "\/dev\/null\/state\/clusters": .*FAIRLEAD_STATE/,
    },
  ])(
    "reports a problem of this machine before $args starts anything, with $env",
    async ({ args, env, says }) => {
      const { code, stdout, stderr } = await fairlead(args, { env });
      expect(stderr).toMatch(says);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect([code, stdout]).toEqual([1, ""]);
    },
  );

  test.skipIf(!existsSync(oldNode))(
    "is installed by an old Node without a warning about it",
    async ({ skip }) => {
      const folder = mkdtempSync(join(tmpdir(), "fairlead-install-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      for (const file of ["package.json", "package-lock.json", ".npmrc"])
        copyFileSync(join(root, file), join(folder, file));
      const args = ["ci", "--dry-run", "--offline", "--ignore-scripts"];
      const env = { PATH: `${dirname(oldNode)}:/bin`, HOME: folder };
      const { code, stdout, stderr } = await run("npm", args, { cwd: folder, env });
      skip(code === 127, "this machine's own Node has no npm");
      expect(stdout).toContain("added ");
      expect(stderr).not.toMatch(/EBADENGINE|npm warn/i);
    },
  );

  test("names the version of package.json in logs, commits and the User-Agent", () => {
    const { version: published } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly version: string;
    };
    expect(version).toBe(published);
  });

  test.skipIf(!existsSync(oldNode))(
    "reports to an old Node which version is needed, and how to get it",
    async ({ skip }) => {
      const { code, stderr } = await fairlead(["--help"], { node: oldNode });
      skip(code === 0, "this machine's own Node is new enough");
      expect(stderr).toMatch(/^fairlead: Node v\d+\S* is too old, Node 26 is needed; .*npx fairlead/);
      expect(code).toBe(1);
    },
  );
});
