import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { FakeSsh } from "./fake-ssh.ts";
import { readAll, SourcesHarness } from "./sources-harness.ts";

const credentials = { identity: "KEY\r\nrest", known_hosts: "HOSTS" };

test("over ssh the key is in a private file while a command needs it, and removed afterwards", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const ssh = new FakeSsh(remote.folder);
  await using it = new SourcesHarness(remote, { environment: { PATH: ssh.path } });
  const options = { url: `ssh://git@git.example.dev${remote.path}`, credentials };

  expect(await readAll(await it.ready("a", options))).toEqual({ x: "1" });

  expect(ssh.calls.length).toBe(2);
  for (const call of ssh.calls)
    expect(call).toEqual([expect.stringContaining(remote.path), "600", "700", "KEY", "HOSTS"]);
  const left = readdirSync(join(remote.folder, "cache"), { recursive: true, encoding: "utf8" });
  expect(left.filter((path) => /identity|known_hosts|credentials/.test(path))).toEqual([]);
});

test.for([
  { credentials: undefined, says: "needs secretRef" },
  { credentials: { identity: "KEY" }, says: '"known_hosts"' },
  { credentials: { known_hosts: "HOSTS" }, says: '"identity"' },
])(
  "without the credentials that ssh needs ($credentials) no other key is tried",
  async ({ credentials: data, says }) => {
    using remote = new FakeGitRemote();
    const ssh = new FakeSsh(remote.folder);
    await using it = new SourcesHarness(remote, { environment: { PATH: ssh.path } });
    const url = `git@git.example.dev:${remote.path}`;
    const state = await it.answer("a", data === undefined ? { url } : { url, credentials: data });
    expect(state).toMatchObject({
      failure: { reason: "SourceInvalid", message: expect.stringContaining(says) },
    });
    expect(ssh.calls).toEqual([]);
  },
);

test.for([
  { by: "the limit of all clones", limits: { cloneBytes: 50_000 }, request: {} },
  { by: "the platform's quota", limits: {}, request: { repositoryBytes: 50_000 } },
])(
  "a fetch that exceeds its limit by $by is stopped, and leaves nothing behind",
  async ({ limits, request }) => {
    using remote = new FakeGitRemote();
    // It cannot be compressed: the pack is far larger than the limit.
    remote.commitByOthers({ a: Array.from({ length: 20_000 }, () => crypto.randomUUID()).join("\n") });
    // A poll is answered; of the pack only the first part is sent, although there is more. dd would count short reads as
    // whole ones.
    const some = "stdbuf -o0 head -c 200000";
    const hangs = '[ -z "$(head -c 1 | tr "\\0" x)" ] || exec sleep 600';
    const ssh = new FakeSsh(remote.folder, `sh -c "$last" | { ${some}; ${hangs}; }`);
    await using it = new SourcesHarness(remote, {
      environment: { PATH: ssh.path },
      limits,
    });
    const options = { url: `ssh://git@git.example.dev${remote.path}`, credentials, ...request };
    const state = await it.answer("a", options, ({ state: name }) => name === "failed");
    expect(state).toMatchObject({ failure: { reason: "RenderLimit" } });
    const left = readdirSync(join(remote.folder, "cache"), { recursive: true, encoding: "utf8" });
    expect(left.filter((path) => /tmp_|\.lock$/.test(path))).toEqual([]);
  },
);

test("an unresponsive remote causes a timeout, and its processes are killed", async () => {
  using remote = new FakeGitRemote();
  const mark = join(remote.folder, "alive");
  const ssh = new FakeSsh(remote.folder, `touch '${mark}'; exec sleep 600`);
  await using it = new SourcesHarness(remote, { environment: { PATH: ssh.path }, timeoutMs: 60_000 });
  const options = { url: `ssh://git@git.example.dev${remote.path}`, credentials };
  it.ask("a", options);
  await it.until(() => existsSync(mark), { stepMs: 0 });

  const state = await it.answer("a", options);

  expect(state).toMatchObject({
    failure: { reason: "SourceUnreachable", message: expect.stringContaining("no output for 60 s") },
  });
});
