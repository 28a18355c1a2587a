import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import type { SourceState } from "../../../../operator/git/source/ports.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { aSshKey } from "../../../fakes/ssh-key.ts";
import { FakeSshServer } from "../../../fakes/ssh-server.ts";
import { readAll, SourcesHarness } from "./sources-harness.ts";

const isStale = (state: SourceState): boolean => state.state === "ready" && state.stale !== undefined;

/** Any line of a private key. */
const bodyOf = (identity: string): string[] => identity.split("\n").slice(1, -2);

test("over ssh a repository is read with the key of the Secret, and a push is noticed", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = new SourcesHarness(remote);
  const options = { url: host.url(basename(remote.path)), credentials: host.credentials, path: "a" };

  expect(await readAll(await it.ready("a", options))).toEqual({ x: "1" });
  const head = remote.commitByOthers({ "a/x": "2" });
  it.sources.refresh({ url: options.url });
  const next = await it.ready("a", options, (revision) => revision.head.id === head);

  expect(await readAll(next)).toEqual({ x: "2" });
  const call = { command: `git-upload-pack '/${basename(remote.path)}'`, protocol: "version=2" };
  // A poll and a fetch, twice.
  expect(host.commands).toEqual([call, call, call, call]);
  const left = readdirSync(join(remote.folder, "cache"), { recursive: true, encoding: "utf8" });
  expect(left.filter((path) => /identity|known_hosts|credentials/.test(path))).toEqual([]);
});

test("over ssh only the newest commit is fetched, without large files, and old commits on request", async () => {
  using remote = new FakeGitRemote();
  for (const setting of ["allowFilter", "allowAnySHA1InWant"])
    remote.git(["config", `uploadpack.${setting}`, "true"]);
  const old = remote.commitByOthers({ x: "1" });
  const head = remote.commitByOthers({ x: "2", big: crypto.randomUUID().repeat(50) });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = new SourcesHarness(remote, { limits: { fileBytes: 1_000 } });
  const options = { url: host.url(basename(remote.path)), credentials: host.credentials };

  const { files } = await it.ready("a", options);

  expect((await files.list()).files.map(({ path, size }) => [path, size])).toEqual([
    ["big", 1_001],
    ["x", 1],
  ]);
  const [slot = ""] = readdirSync(join(remote.folder, "cache"));
  const clone = join(remote.folder, "cache", slot, "repository.git");
  expect(readFileSync(join(clone, "shallow"), "utf8")).toBe(`${head}\n`);
  expect(await readAll(await it.ready("b", { ...options, revision: old }))).toEqual({ x: "1" });
});

test.for([
  {
    fault: "another key",
    knownHosts: (known: string) => `${known.split(" ")[0]} ${aSshKey().publicKey}`,
    says: ["differs from known_hosts", "The fingerprint", "SHA256:", "has changed"],
  },
  {
    fault: "only another host's",
    knownHosts: (known: string) => known.replace("127.0.0.1", "git.example.dev"),
    says: ["not in known_hosts", "No ED25519 host key is known"],
  },
])("a host with $fault in known_hosts gets no key, and is reported", async ({ knownHosts, says }) => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = new SourcesHarness(remote);
  const credentials = { identity: host.identity, known_hosts: knownHosts(host.knownHosts) };

  const state = await it.answer("a", { url: host.url(basename(remote.path)), credentials });

  expect(state).toMatchObject({ state: "failed", failure: { reason: "SourceRefused" } });
  const words = JSON.stringify([state, it.log.entries]);
  for (const part of says) expect(words).toContain(part);
  for (const noise of ["@@@", "NASTY", ...bodyOf(host.identity), ...bodyOf(credentials.known_hosts)])
    expect(words).not.toContain(noise);
  expect([host.commands, host.offers]).toEqual([[], 0]);
});

test.for([
  {
    fault: "a key that the host does not know",
    identity: aSshKey().identity,
    reason: "SourceRefused",
    says: ["refuses these credentials", "Permission denied (publickey)"],
  },
  {
    fault: "half a key",
    identity: aSshKey().identity.slice(0, 200),
    reason: "SourceInvalid",
    says: ["ssh cannot read the private key"],
  },
])("$fault is reported clearly, and without the key", async ({ identity, reason, says }) => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = new SourcesHarness(remote);
  const credentials = { identity, known_hosts: host.knownHosts };

  const state = await it.answer("a", { url: host.url(basename(remote.path)), credentials });

  expect(state).toMatchObject({ state: "failed", failure: { reason } });
  const words = JSON.stringify([state, it.log.entries]);
  for (const part of says) expect(words).toContain(part);
  for (const secret of bodyOf(identity)) expect(words).not.toContain(secret);
  expect(host.commands).toEqual([]);
});

test("over ssh another tenant's clone of the same repository is not used", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = new SourcesHarness(remote);
  const url = host.url(basename(remote.path));
  await it.ready("a", { url, credentials: host.credentials });
  const guess = { ...host.credentials, identity: aSshKey().identity };
  expect(await it.answer("thief", { url, credentials: guess })).toMatchObject({
    failure: { reason: "SourceRefused" },
  });
});

test("a key with Windows line endings, or without the last one, is converted so that ssh can read it", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = new SourcesHarness(remote);
  const credentials = {
    identity: host.identity.trimEnd().replaceAll("\n", "\r\n"),
    known_hosts: `# ours\r\n${host.knownHosts}\r\n`,
  };
  expect(await it.ready("a", { url: host.url(basename(remote.path)), credentials })).toBeDefined();
});

test("when the host changes its key, the deployed state stays until the Secret has the new one", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ x: "1" });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = new SourcesHarness(remote);
  const url = host.url(basename(remote.path));
  const before = host.credentials;
  await it.ready("a", { url, credentials: before });

  host.rotateHostKey();
  const second = remote.commitByOthers({ x: "2" });
  it.sources.refresh({ url });
  expect(await it.answer("a", { url, credentials: before }, isStale)).toMatchObject({
    revision: { head: { id: first } },
    stale: { reason: "SourceRefused", message: expect.stringContaining("differs from known_hosts") },
  });

  const after = await it.ready("a", { url, credentials: host.credentials });
  expect(after.head.id).toBe(second);
});

test("a key that the host accepts later is used without a new Secret", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using host = await FakeSshServer.start(remote.folder);
  host.refuseKeys();
  await using it = new SourcesHarness(remote);
  const options = { url: host.url(basename(remote.path)), credentials: host.credentials };
  expect(await it.answer("a", options)).toMatchObject({ failure: { reason: "SourceRefused" } });
  host.acceptKeys();
  expect(await it.ready("a", options)).toBeDefined();
});
