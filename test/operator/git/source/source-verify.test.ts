import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { confineGit } from "../../../../operator/git/confine-git.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { kernelIsolation } from "../../../fakes/launcher.ts";
import { readAll, SourcesHarness } from "./sources-harness.ts";

interface Signer {
  /** Entry of the Secret. */
  readonly entry: Readonly<Record<string, string>>;
  readonly config: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

function scratch(): string {
  // Short, because gpg creates sockets in it.
  const folder = mkdtempSync(join(tmpdir(), "fls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function sshSigner(name = "ann"): Signer {
  const key = join(scratch(), "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ann@example.dev", "-f", key]);
  return {
    entry: { [`${name}.pub`]: readFileSync(`${key}.pub`, "utf8") },
    config: ["-c", "gpg.format=ssh", "-c", `user.signingKey=${key}`],
    environment: {},
  };
}

function pgpSigner(): Signer {
  const home = scratch();
  const gpg = (...words: string[]) =>
    execFileSync(
      "gpg",
      ["--homedir", home, "--batch", "--pinentry-mode", "loopback", "--passphrase", "", ...words],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
  gpg("--quick-gen-key", "ann@example.dev", "ed25519", "sign", "never");
  onTestFinished(() => void execFileSync("gpgconf", ["--homedir", home, "--kill", "all"]));
  return {
    entry: { "ann.asc": gpg("--armor", "--export") },
    config: ["-c", "user.signingKey=ann@example.dev"],
    environment: { GNUPGHOME: home },
  };
}

/** A signed commit on main with one file `x`. */
function commitSigned(remote: FakeGitRemote, x: string, signer: Signer): string {
  const id = remote.git(["hash-object", "-w", "--stdin"], x).trim();
  const tree = remote.git(["mktree"], `100644 blob ${id}\tx\n`).trim();
  const parent = remote.head();
  const commit = execFileSync(
    "git",
    [
      ...["-c", "user.name=Ann", "-c", "user.email=ann@example.dev", ...signer.config],
      ...["commit-tree", "-S", "-m", `Set ${x}`, ...(parent === undefined ? [] : ["-p", parent]), tree],
    ],
    {
      cwd: remote.path,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: remote.folder, ...signer.environment },
    },
  ).trim();
  remote.resetTo(commit);
  return commit;
}

const { launcher, inForce } = kernelIsolation;
const confine =
  launcher === undefined ? undefined : confineGit({ launcher, inForce, isRoot: process.getuid?.() === 0 });

describe.for([
  { kind: "SSH", makeSigner: sshSigner, confine: undefined },
  { kind: "SSH, isolated", makeSigner: sshSigner, confine },
  { kind: "OpenPGP", makeSigner: pgpSigner, confine: undefined },
  { kind: "OpenPGP, isolated", makeSigner: pgpSigner, confine },
])("with $kind keys", { timeout: 60_000 }, ({ makeSigner, confine }) => {
  test("a commit that one of them signed is deployed, and a later unsigned one is not", async () => {
    using remote = new FakeGitRemote();
    const signer = makeSigner();
    const good = commitSigned(remote, "1", signer);
    await using it = new SourcesHarness(remote, { confine });
    const options = { signers: { ...sshSigner("other").entry, ...signer.entry } };
    expect((await it.ready("a", options)).head.id).toBe(good);

    const bad = remote.commitByOthers({ x: "2" });
    const state = await it.answer("a", options, (now) => now.state === "ready" && now.stale !== undefined);
    expect(state).toMatchObject({
      revision: { head: { id: good } },
      stale: { reason: "SourceNotVerified", message: expect.stringContaining(`${bad}: it is not signed`) },
    });
    if (state.state === "ready") expect(await readAll(state.revision)).toEqual({ x: "1" });

    const better = commitSigned(remote, "3", signer);
    expect((await it.ready("a", options, ({ head }) => head.id === better)).head.id).toBe(better);
    // Files with keys and signers are removed from the disk.
    const left = readdirSync(join(remote.folder, "cache"), { recursive: true, encoding: "utf8" });
    expect(left.filter((path) => /verify-|signers|gpg|\.asc/.test(path))).toEqual([]);
  });

  test("a commit with another signer is not deployed", async () => {
    using remote = new FakeGitRemote();
    commitSigned(remote, "1", makeSigner());
    await using it = new SourcesHarness(remote, { confine });
    const state = await it.answer("a", { signers: makeSigner().entry });
    expect(state).toMatchObject({
      state: "failed",
      failure: {
        reason: "SourceNotVerified",
        message: expect.stringContaining("none of the keys signed it"),
      },
    });
  });

  test("a signature of another commit does not count", async () => {
    using remote = new FakeGitRemote();
    const signer = makeSigner();
    const good = commitSigned(remote, "1", signer);
    const forged = remote.git(["cat-file", "commit", good]).replace("Set 1", "Set 2");
    const id = remote.git(["hash-object", "-w", "-t", "commit", "--stdin"], forged).trim();
    remote.resetTo(id);
    await using it = new SourcesHarness(remote, { confine });
    const state = await it.answer("a", { signers: signer.entry });
    expect(state).toMatchObject({
      state: "failed",
      failure: { reason: "SourceNotVerified", message: expect.stringContaining("does not match") },
    });
  });
});

test.for([
  { entry: {}, says: "no entry that ends in .pub or .asc" },
  { entry: { "a.pub": "not a key" }, says: '"a.pub" contains something other' },
  {
    entry: { "a.pub": '* namespaces="git",cert-authority ssh-ed25519 AAAA' },
    says: '"a.pub" contains something other',
  },
  { entry: { "a.asc": "not a key" }, says: ".asc has no OpenPGP public key" },
])("a Secret with $entry is reported with the problem", async ({ entry, says }) => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  const state = await it.answer("a", { signers: entry });
  expect(state).toMatchObject({ state: "failed", failure: { reason: "SourceInvalid" } });
  expect(JSON.parse(JSON.stringify(state)).failure.message).toContain(says);
});
