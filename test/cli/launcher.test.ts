import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { refusalOf } from "../../cli/launcher/weak-sandbox.ts";
import { noKernelIsolation } from "../../operator/sandbox/kernel-isolation.ts";

describe("refusalOf()", () => {
  const none = noKernelIsolation("the launcher is not installed");
  const local = { isLocal: true, env: {}, weakSandbox: false };
  const git = { ...local, isLocal: false };
  const inCi = { ...local, env: { CI: "true" } };

  test.for([
    { what: "a folder of this machine", trust: local, refused: false },
    { what: "a folder of this machine in CI", trust: inCi, refused: true },
    {
      what: "a folder of this machine where CI is empty",
      trust: { ...local, env: { CI: "" } },
      refused: false,
    },
    { what: "a source from git", trust: git, refused: true },
    { what: "a source from git, with --weak-sandbox", trust: { ...git, weakSandbox: true }, refused: false },
    { what: "a folder in CI, with --weak-sandbox", trust: { ...inCi, weakSandbox: true }, refused: false },
  ])("without isolation: $what", ({ trust, refused }) => {
    const refusal = refusalOf(none, trust);
    if (refused) expect(refusal).toContain("the launcher is not installed");
    else expect(refusal).toBeUndefined();
  });

  test("names the missing layers, and the first line of a problem", () => {
    const refused = (isolation: Parameters<typeof refusalOf>[0]) =>
      refusalOf(isolation, git, "git processes");
    expect(refused({ missing: ["files", "tcp"], keptApart: false })).toBe(
      "Cannot read a source that is not a local folder: the kernel does not fully isolate git processes (missing: files, tcp); use a kernel with these layers (docs/sandbox.md), or accept the risk with --weak-sandbox",
    );
    expect(refused({ missing: ["files"], keptApart: false, problem: "fatal: no\nhint: none\n" })).toContain(
      "the kernel does not isolate git processes: fatal: no (missing: files); use",
    );
  });

  test("accepts any source if only layers are missing that refuse some actions a second time", () => {
    expect(refusalOf({ ...none, keptApart: true, missing: ["tcp", "scopes"] }, git)).toBeUndefined();
  });
});

describe("fairlead render", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fairlead-ci-"));
    const metadata = { name: "web", namespace: "shop" };
    const source = { url: "https://git.example.com/shop.git" };
    const release = {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "Release",
      metadata,
      spec: { source, render: { program: { entry: "main.ts" } } },
    };
    await writeFile(join(folder, "release.json"), JSON.stringify(release));
    const manifests = { ...release, spec: { source, render: { manifests: {} } } };
    await writeFile(join(folder, "manifests.json"), JSON.stringify(manifests));
    await mkdir(join(folder, "web"));
    const written = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "written" } };
    await writeFile(join(folder, "web", "all.json"), JSON.stringify(written));
    await writeFile(
      join(folder, "main.ts"),
      'import { ApiObject, Chart } from "cdk8s"; export default (app) => { new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" } }); };',
    );
    return () => rm(folder, { recursive: true });
  });

  const render = (env: NodeJS.ProcessEnv, ...flags: readonly string[]) =>
    run(env, join(folder, "release.json"), "--source", folder, ...flags);
  const renderManifests = (env: NodeJS.ProcessEnv, ...flags: readonly string[]) =>
    run(env, join(folder, "manifests.json"), "--source", join(folder, "web"), ...flags);
  const run = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
      const fairlead = resolve(import.meta.dirname, "../../cli/fairlead.js");
      execFile(process.execPath, [fairlead, "render", ...args], { env }, (error, stdout, stderr) => {
        done({ code: Number(error?.code ?? 0), stdout, stderr });
      });
    });

  /** Without a PATH there is no Go, and with an empty cache no launcher. */
  const withoutLauncher = (): NodeJS.ProcessEnv => ({
    FAIRLEAD_CACHE: folder,
    HOME: folder,
    PATH: "",
    CI: "true",
  });

  test("in CI exits with 2 for a program, if the kernel does not isolate it", async () => {
    expect(await render(withoutLauncher())).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("accept the risk with --weak-sandbox"),
    });
  });

  test("in CI exits with 2 for a folder of manifests, if the kernel does not isolate processes", async () => {
    expect(await renderManifests(withoutLauncher())).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("(missing: no-new-privileges, files, tcp, scopes, seccomp)"),
    });
    expect(await renderManifests(withoutLauncher(), "--weak-sandbox")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("name: written"),
    });
  });

  test("in CI does not even read its files", async () => {
    const stderr = expect.stringMatching(/^fairlead: Cannot read files that may be untrusted, .*\n$/);
    expect(await run(withoutLauncher(), "/no/such/file.yaml")).toEqual({ code: 2, stdout: "", stderr });
  });

  test("elsewhere renders a local folder without the launcher", async () => {
    const outside = { ...withoutLauncher(), CI: "" };
    for (const { code, stdout, stderr } of [await renderManifests(outside), await render(outside)]) {
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/name: (?:written|made)/);
    }
  });

  test("with --weak-sandbox runs it", async () => {
    expect(await render(withoutLauncher(), "--weak-sandbox")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("name: made"),
    });
  });
});
