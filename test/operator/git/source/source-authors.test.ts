import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CommitSpan } from "../../../../crds/kind-source.ts";
import type { FoundAuthors } from "../../../../operator/git/source/span-authors.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { SourcesHarness } from "./sources-harness.ts";

const ada = "Ada <ada@example.dev>";
const bob = "Bob <bob@example.dev>";

function aRemote(): FakeGitRemote {
  const remote = new FakeGitRemote();
  onTestFinished(() => remote[Symbol.dispose]());
  return remote;
}

/** A source that follows the branch, and asks for authors. */
async function following(remote: FakeGitRemote) {
  const harness = new SourcesHarness(remote);
  onTestFinished(() => harness[Symbol.asyncDispose]());
  const revision = await harness.ready("ns/a");
  const authorsOf = async (span: CommitSpan): Promise<FoundAuthors> => {
    let found: FoundAuthors | undefined;
    let failure: unknown;
    revision.authorsOf(span).then(
      (answer) => {
        found = answer;
      },
      (error: unknown) => {
        failure = error;
      },
    );
    await harness.until(() => found !== undefined || failure !== undefined);
    if (found === undefined) throw failure;
    return found;
  };
  return { harness, revision, authorsOf };
}

/** A commit object with any bytes for an author, on top of the branch. */
function commitRaw(remote: FakeGitRemote, author: Buffer): string {
  const parent = remote.head() ?? "";
  const tree = remote.git(["rev-parse", `${parent}^{tree}`]).trim();
  const body = Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${parent}\nauthor `),
    author,
    Buffer.from(` 1700000000 +0000\ncommitter Forge <f@example.dev> 1700000000 +0000\n\nRaw\n`),
  ]);
  const words = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
  const id = execFileSync("git", words, { cwd: remote.path, input: body, encoding: "utf8" }).trim();
  remote.resetTo(id);
  return id;
}

describe("the authors of a source's commits", () => {
  test("are found in a clone that has only the head: only the commits are fetched, and then deleted", async () => {
    const remote = aRemote();
    const first = remote.commitByOthers({ a: "1" }, { author: "Root <root@example.dev>" });
    const second = remote.commitByOthers({ a: "2" }, { author: ada });
    const third = remote.commitByOthers({ a: "3" }, { author: bob });
    const { harness, authorsOf } = await following(remote);
    const { fetches } = harness.sources.stats;
    expect(await authorsOf({ since: first, until: third })).toEqual({
      authors: [
        { email: "bob@example.dev", commit: third },
        { email: "ada@example.dev", commit: second },
      ],
    });
    expect(await authorsOf({ until: second })).toMatchObject({
      authors: [{ email: "ada@example.dev" }, { email: "root@example.dev" }],
    });
    const left = readdirSync(join(remote.folder, "cache")).filter((name) => name.includes("history"));
    expect([left, harness.sources.stats.fetches]).toEqual([[], fetches + 2]);
  });

  test("are found without the remote if the clone has the commits", async () => {
    const remote = aRemote();
    const first = remote.commitByOthers({ a: "1" });
    const { harness, authorsOf } = await following(remote);
    const second = remote.commitByOthers({ a: "2" }, { author: ada });
    await harness.ready("ns/a", {}, ({ head }) => head.id === second);
    const { fetches } = harness.sources.stats;
    remote.vanish();
    expect(await authorsOf({ since: first, until: second })).toMatchObject({
      authors: [{ email: "ada@example.dev" }],
    });
    expect(harness.sources.stats.fetches).toBe(fetches);
    // Others cannot be known now, and that is no answer.
    await expect(authorsOf({ until: "1".repeat(40) })).rejects.toThrow(/Cannot re/);
    remote.behave();
    expect(await authorsOf({ until: "1".repeat(40) })).toMatchObject({ problem: { is: "MissingHistory" } });
  });

  test("are unknown after a force push until there are new commits", async () => {
    const remote = aRemote();
    const base = remote.commitByOthers({ a: "1" });
    const dropped = remote.commitByOthers({ a: "2" }, { author: bob });
    const { harness, authorsOf } = await following(remote);
    remote.resetTo(base);
    const rewritten = remote.commitByOthers({ a: "3" }, { author: ada });
    await harness.ready("ns/a", {}, ({ head }) => head.id === rewritten);
    expect(await authorsOf({ since: dropped, until: rewritten })).toEqual({ problem: { is: "NotAncestor" } });
    expect(await authorsOf({ since: base, until: rewritten })).toMatchObject({
      authors: [{ email: "ada@example.dev" }],
    });
  });

  test("are unknown if the remote itself is shallow", async () => {
    const whole = aRemote();
    const first = whole.commitByOthers({ a: "1" });
    whole.commitByOthers({ a: "2" }, { author: ada });
    const third = whole.commitByOthers({ a: "3" }, { author: bob });
    const remote = aRemote();
    remote.git(["fetch", "--quiet", "--depth=1", `file://${whole.path}`, "main:main"]);
    const { authorsOf } = await following(remote);
    expect(await authorsOf({ since: first, until: third })).toMatchObject({
      problem: { is: "MissingHistory" },
    });
  });

  test.for([
    [
      "a name with invalid bytes",
      Buffer.from([...Buffer.from("\u001b[2J "), 0xff, 0xfe, ...Buffer.from(" <ada@example.dev>")]),
      "ada@example.dev",
    ],
    [
      "an address with invalid bytes",
      Buffer.from([...Buffer.from("Ada <"), 0xff, ...Buffer.from("@example.dev>")]),
      undefined,
    ],
    ["a huge address", Buffer.from(`Ada <${"x".repeat(100_000)}@example.dev>`), undefined],
    ["two addresses", Buffer.from("Ada <bob@example.dev> <ada@example.dev>"), undefined],
  ] as const)("are read from %s, or reported as unreadable", async ([, author, email]) => {
    const remote = aRemote();
    const first = remote.commitByOthers({ a: "1" });
    const { authorsOf } = await following(remote);
    const second = commitRaw(remote, author);
    const expected =
      email === undefined
        ? // Git itself takes some of them for harmful, and does not fetch them.
          { problem: { is: expect.stringMatching(/^(Unreadable|MissingHistory)$/), commit: second } }
        : { authors: [{ email, commit: second }] };
    expect(await authorsOf({ since: first, until: second })).toEqual(expected);
  });

  test("are found in a repository of SHA-256", async () => {
    const remote = new FakeGitRemote({ format: "sha256" });
    onTestFinished(() => remote[Symbol.dispose]());
    const first = remote.commitByOthers({ a: "1" });
    const second = remote.commitByOthers({ a: "2" }, { author: ada });
    const { authorsOf } = await following(remote);
    expect(await authorsOf({ since: first, until: second })).toEqual({
      authors: [{ email: "ada@example.dev", commit: second }],
    });
  });

  test("do not add commits without files to the clone", async () => {
    const remote = aRemote();
    remote.git(["config", "uploadpack.allowFilter", "true"]);
    const first = remote.commitByOthers({ a: "1", "web/x": "x" });
    for (let count = 2; count < 6; count++) remote.commitByOthers({ a: `${count}` }, { author: ada });
    const { harness, authorsOf } = await following(remote);
    const head = remote.head() ?? "";
    expect(await authorsOf({ since: first, until: head })).toMatchObject({
      authors: [{ email: "ada@example.dev" }],
    });
    // What was there at first returns: its files must come along.
    const back = remote.commitByOthers({ a: "1" });
    const revision = await harness.ready("ns/a", {}, (it) => it.head.id === back);
    const { files } = await revision.files.list();
    const blobs = files.map(({ blob }) => blob);
    expect([...(await revision.files.read(blobs)).values()].map(String)).toEqual(["1", "x"]);
  });
});
