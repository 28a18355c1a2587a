import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ApiClient } from "../../../../cli/release/api-client.ts";
import { renderRelease } from "../../../../cli/release/diff/render-release.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { kernelIsolation } from "../../../fakes/launcher.ts";
import { aRelease } from "../a-release.ts";
import { FakeApi } from "../fake-api.ts";

const file = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } });

function aRemote(): FakeGitRemote {
  const remote = new FakeGitRemote();
  onTestFinished(() => remote[Symbol.dispose]());
  remote.commitByOthers({ "web.json": file });
  return remote;
}

const render = ({ path }: FakeGitRemote) =>
  renderRelease(aRelease({ spec: { source: { url: `file://${path}` } } }), {
    client: new ApiClient(new FakeApi({})),
    folder: undefined,
    revision: undefined,
    timeoutMs: 20_000,
    weakSandbox: false,
  });

test("a Release is rendered from its repository", async () => {
  const { rendered, commits } = await render(aRemote());
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
