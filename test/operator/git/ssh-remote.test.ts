import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { confineGit } from "../../../operator/git/confine-git.ts";
import type { ConfineGit } from "../../../operator/git/git-command.ts";
import { FakeGitRemote } from "../../fakes/git-remote.ts";
import { kernelIsolation, launcher } from "../../fakes/launcher.ts";
import { FakeSshServer } from "../../fakes/ssh-server.ts";
import { anOffer, PublisherHarness } from "./publish/publisher-harness.ts";

/** A mounted Secret of the operator, which a user may change. */
class SshSecret {
  readonly directory: string;

  constructor(remote: FakeGitRemote, { credentials }: FakeSshServer) {
    this.directory = join(remote.folder, "secret");
    mkdirSync(this.directory);
    this.write(credentials);
  }

  write(files: { readonly identity?: string; readonly known_hosts?: string }): void {
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(this.directory, name), text, { mode: 0o400 });
  }
}

function aPublisher(
  remote: FakeGitRemote,
  host: FakeSshServer,
  { directory }: SshSecret,
  confine?: ConfineGit,
): PublisherHarness {
  const repository = host.url(basename(remote.path));
  const it = new PublisherHarness(remote, { repository, credentialsDirectory: directory, confine });
  it.publisher.start();
  return it;
}

const edit = (generation: number) => anOffer({ generation });

/** The message of a failed offer. */
async function failureOf(it: PublisherHarness, offer = edit(1)): Promise<string> {
  await it.until(() => it.publish(offer).state === "failed");
  const state = it.publish(offer);
  expect(state).toMatchObject({ reason: "RepositoryUnreachable" });
  return state.state === "failed" ? state.message : "";
}

test("pushes to an ssh remote with the key, and uses git protocol 2", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "README.md": "hello" });
  await using host = await FakeSshServer.start(remote.folder);
  await using it = aPublisher(remote, host, new SshSecret(remote, host));

  const [record] = await it.untilPublished(edit(1));
  await it.untilPublished(edit(2));

  expect(record?.commit).toBe(remote.git(["rev-parse", "main~"]).trim());
  expect(remote.commits()).toBe(3);
  // A push has no version 2.
  const calls = host.commands.map(({ command, protocol }) => `${command.split(" ")[0]} ${protocol}`);
  expect(new Set(calls)).toEqual(new Set(["git-upload-pack version=2", "git-receive-pack undefined"]));
  expect(calls.filter((call) => call.startsWith("git-receive-pack")).length).toBe(2);
});

test.runIf(launcher !== undefined)("pushes to an ssh remote under kernel isolation", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "README.md": "hello" });
  await using host = await FakeSshServer.start(remote.folder);
  const secret = new SshSecret(remote, host);
  const { inForce } = kernelIsolation;
  const isRoot = process.getuid?.() === 0;
  const isolation = confineGit({
    ...{ launcher: kernelIsolation.launcher ?? "", inForce, isRoot, credentials: secret.directory },
  });
  const confined: string[] = [];
  const confine: ConfineGit = (run) => {
    confined.push(`${run.arguments[0] ?? "read"} ${run.remote?.protocol ?? "nowhere"}`);
    return isolation(run);
  };
  await using it = aPublisher(remote, host, secret, confine);
  await it.untilPublished(edit(1));
  expect(remote.commits()).toBe(2);
  expect([...new Set(confined)].toSorted()).toEqual([
    ...["fast-import nowhere", "fetch ssh", "ls-remote ssh", "push ssh", "read nowhere"],
  ]);
});

test("a host whose key changed receives nothing until known_hosts has the new one", async () => {
  using remote = new FakeGitRemote();
  await using host = await FakeSshServer.start(remote.folder);
  const secret = new SshSecret(remote, host);
  await using it = aPublisher(remote, host, secret);
  await it.untilPublished(edit(1));
  const before = [host.commands.length, host.offers];

  host.rotateHostKey();
  const message = await failureOf(it, edit(2));

  expect(message).toMatch(/fingerprint for the ED25519 key sent .*SHA256:.*Host key for .* has changed/);
  expect(message).not.toMatch(/@@|NASTY|…/);
  expect([host.commands.length, host.offers]).toEqual(before);
  expect(remote.commits()).toBe(1);
  expect(it.announced).toEqual(["Warning RepositoryUnreachable Publish"]);

  chmodSync(join(secret.directory, "known_hosts"), 0o600);
  secret.write({ known_hosts: host.knownHosts });
  await it.untilPublished(edit(2));
  expect(remote.commits()).toBe(2);
});

test("the message of a host that rejects the key is reported, and the push succeeds once it accepts it", async () => {
  using remote = new FakeGitRemote();
  await using host = await FakeSshServer.start(remote.folder);
  host.refuseKeys();
  await using it = aPublisher(remote, host, new SshSecret(remote, host));

  const message = await failureOf(it);

  expect(message).toBe("git@127.0.0.1: Permission denied (publickey).");
  expect(host.offers).toBeGreaterThan(0);
  expect(host.commands).toEqual([]);
  const [, secret = "?"] = host.identity.split("\n");
  expect(JSON.stringify([message, it.logged])).not.toContain(secret);
  host.acceptKeys();
  await it.untilPublished(edit(1));
});

test("a key that others may read is not used, and is reported without ssh's warning", async () => {
  using remote = new FakeGitRemote();
  await using host = await FakeSshServer.start(remote.folder);
  const secret = new SshSecret(remote, host);
  chmodSync(join(secret.directory, "identity"), 0o444);
  await using it = aPublisher(remote, host, secret);

  const message = await failureOf(it);

  expect(message).toMatch(/^Permissions 0444 for '.*identity' are too open\.; Load key .*; git@/);
  chmodSync(join(secret.directory, "identity"), 0o400);
  await it.untilPublished(edit(1));
});

test.for([
  { fault: "without its last line end", identity: (key: string) => key.trimEnd() },
  { fault: "with line ends of Windows", identity: (key: string) => key.replaceAll("\n", "\r\n") },
])("a key $fault, which ssh considers broken, is reported with the actual problem", async ({ identity }) => {
  using remote = new FakeGitRemote();
  await using host = await FakeSshServer.start(remote.folder);
  const secret = new SshSecret(remote, host);
  chmodSync(join(secret.directory, "identity"), 0o600);
  secret.write({ identity: identity(host.identity) });
  await using it = aPublisher(remote, host, secret);
  expect(await failureOf(it)).toContain("every line, the last one too, must have a Unix line ending");
  secret.write({ identity: host.identity });
  await it.untilPublished(edit(1));
});

test("the message of a hook over ssh is reported, also if it resembles one of ssh", async () => {
  using remote = new FakeGitRemote();
  remote.refusePushes("@team decides. Please contact your system administrator.");
  await using host = await FakeSshServer.start(remote.folder);
  await using it = aPublisher(remote, host, new SshSecret(remote, host));
  await it.until(() => it.publish(edit(1)).state === "failed");
  expect(it.publish(edit(1))).toEqual({
    state: "failed",
    reason: "PushRefused",
    message: "pre-receive hook declined; @team decides. Please contact your system administrator.",
  });
});
