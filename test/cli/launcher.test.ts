import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
    { what: "a program of this machine", trust: local, refused: false },
    { what: "a program of this machine in CI", trust: inCi, refused: true },
    {
      what: "a program of this machine where CI is empty",
      trust: { ...local, env: { CI: "" } },
      refused: false,
    },
    { what: "a program from git", trust: git, refused: true },
    { what: "a program from git, with --weak-sandbox", trust: { ...git, weakSandbox: true }, refused: false },
    { what: "a program in CI, with --weak-sandbox", trust: { ...inCi, weakSandbox: true }, refused: false },
  ])("without isolation: $what", ({ trust, refused }) => {
    const refusal = refusalOf(none, trust);
    if (refused) expect(refusal).toContain("the launcher is not installed");
    else expect(refusal).toBeUndefined();
  });

  test("runs any program if the kernel isolates it", () => {
    expect(refusalOf({ ...none, keptApart: true }, git)).toBeUndefined();
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
    await writeFile(
      join(folder, "main.ts"),
      'import { ApiObject, Chart } from "cdk8s"; export default (app) => { new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" } }); };',
    );
    return () => rm(folder, { recursive: true });
  });

  const render = (env: NodeJS.ProcessEnv, ...flags: readonly string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
      const fairlead = resolve(import.meta.dirname, "../../cli/fairlead.js");
      const words = [fairlead, "render", join(folder, "release.json"), "--source", folder, ...flags];
      execFile(process.execPath, words, { env }, (error, stdout, stderr) => {
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

  test("with --weak-sandbox runs it", async () => {
    expect(await render(withoutLauncher(), "--weak-sandbox")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("name: made"),
    });
  });
});
