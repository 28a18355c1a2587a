import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ApiClient } from "../../../../cli/release/api-client.ts";
import { renderRelease } from "../../../../cli/release/diff/render-release.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { kernelIsolation } from "../../../fakes/launcher.ts";
import { removeLauncher } from "../../without-launcher.ts";
import { aRelease } from "../a-release.ts";
import { FakeApi } from "../fake-api.ts";

const file = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } });

function aRemote(): FakeGitRemote {
  const remote = new FakeGitRemote();
  onTestFinished(() => remote[Symbol.dispose]());
  remote.commitByOthers({ "web.json": file });
  return remote;
}

interface RenderOptions {
  readonly api?: FakeApi;
  readonly source?: object;
  readonly weakSandbox?: boolean;
}

const render = (
  { path }: FakeGitRemote,
  { api = new FakeApi({}), source = {}, weakSandbox = false }: RenderOptions = {},
) =>
  renderRelease(aRelease({ spec: { source: { url: `file://${path}`, ...source } } }), {
    client: new ApiClient(api),
    folder: undefined,
    revision: undefined,
    timeoutMs: 20_000,
    weakSandbox,
  });

/** A folder of programs with a git that the kernel's isolation does not allow: it is not one of the system. */
function aGitFolder({ folder }: FakeGitRemote): string {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(programs, "git"), `#!/bin/sh\nexec ${git} "$@"\n`, { mode: 0o755 });
  return programs;
}

test("a Release is rendered from its repository", async () => {
  const { rendered, commits } = await render(aRemote(), { weakSandbox: !kernelIsolation.keptApart });
  expect([...rendered.manifests]).toMatchObject([{ metadata: { name: "web" } }]);
  expect(commits).toHaveLength(2);
});

test.runIf(kernelIsolation.keptApart)(
  "the git process that fetches it reads nothing of its user except the repository",
  async () => {
    const remote = aRemote();
    // Objects that the repository borrows from another folder: git follows such a reference.
    const elsewhere = join(remote.folder, "elsewhere");
    renameSync(join(remote.path, "objects"), elsewhere);
    mkdirSync(join(remote.path, "objects", "info"), { recursive: true });
    writeFileSync(join(remote.path, "objects", "info", "alternates"), `${elsewhere}\n`);
    await expect(render(remote)).rejects.toThrow(`Cannot render Release shop/web`);
  },
);

test("without isolation nothing is read of a source that is not a local folder, unless --weak-sandbox is given", async () => {
  const remote = aRemote();
  const programs = aGitFolder(remote);
  removeLauncher();
  const api = new FakeApi({});
  await expect(render(remote, { api, source: { secretRef: { name: "key" } } })).rejects.toMatchObject({
    name: "WeakSandboxError",
  });
  expect(api.requests).toEqual([]);
  removeLauncher({ path: programs });
  const { rendered } = await render(remote, { weakSandbox: true });
  expect(rendered.manifests).toHaveLength(1);
});

test.runIf(kernelIsolation.keptApart)(
  "a source is not fetched if git does not start with isolation, unless --weak-sandbox is given",
  async () => {
    const remote = aRemote();
    vi.stubEnv("PATH", `${aGitFolder(remote)}:${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const api = new FakeApi({});
    await expect(render(remote, { api, source: { secretRef: { name: "key" } } })).rejects.toMatchObject({
      name: "WeakSandboxError",
      message: expect.stringMatching(/the kernel does not isolate git processes: .*--weak-sandbox$/),
    });
    expect(api.requests).toEqual([]);
    const { rendered } = await render(remote, { weakSandbox: true });
    expect(rendered.manifests).toHaveLength(1);
  },
);
