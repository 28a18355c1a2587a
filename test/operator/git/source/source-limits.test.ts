import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { readAll, SourcesHarness } from "./sources-harness.ts";

const commitHeader = "commit refs/heads/main\ncommitter S <s@example.dev> 1700000000 +0000\ndata 1\nx\n";

test("links and submodules are distinguished from files, and names are unchanged", async () => {
  using remote = new FakeGitRemote();
  const names = [
    "line\nbreak.yaml",
    "$(touch pwned).yaml",
    "; rm -rf x.yaml",
    "quote'\".yaml",
    "ünï.yaml",
    "-x",
  ];
  const quoted = (name: string) =>
    `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  remote.git(
    ["fast-import", "--quiet"],
    `${commitHeader}${names.map((name) => `M 100644 inline ${quoted(`f/${name}`)}\ndata 1\nx\n`).join("")}` +
      `M 120000 inline f/link\ndata 11\n/etc/passwd\nM 160000 ${"1".repeat(40)} f/module\n` +
      "M 100755 inline f/run\ndata 1\nx\n\n",
  );
  await using it = new SourcesHarness(remote);
  const { files, refused } = await (await it.ready("a", { path: "f" })).files.list();
  expect(files.map(({ path }) => path)).toEqual(
    [...names, "run"].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
  expect(refused).toEqual([
    { path: "link", what: "symlink" },
    { path: "module", what: "submodule" },
  ]);
});

test("files are listed in byte order, for any folders among them", async () => {
  using remote = new FakeGitRemote();
  const names = ["a.b", "a/z", "a0", "a/b/c", "B", "a-"];
  remote.commitByOthers(Object.fromEntries(names.map((name) => [name, name])));
  await using it = new SourcesHarness(remote);
  const { files } = await (await it.ready("a")).files.list();
  expect(files.map(({ path }) => path)).toEqual(names.toSorted());
});

test.for([
  { what: "in one folder", nameOf: (index: number) => `f/${index}` },
  { what: "in many", nameOf: (index: number) => `f/${index % 50}/${index % 7}/${index}` },
])("more entries than are allowed $what are rejected", async ({ nameOf }) => {
  using remote = new FakeGitRemote();
  remote.commitByOthers(
    Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [nameOf(index), "x"])),
  );
  await using it = new SourcesHarness(remote, { limits: { entries: 900 } });
  const { files } = await it.ready("a", { path: "f" });
  await expect(files.list()).rejects.toMatchObject({
    reason: "RenderLimit",
    message: expect.stringContaining("900 entries"),
  });
});

test("a folder inside one with more entries than are read is found", async () => {
  using remote = new FakeGitRemote();
  // Its tree object is larger than 1 MiB.
  const many = Array.from({ length: 5_000 }, (_, index) => [`f/${"n".repeat(200)}${index}`, ""]);
  const head = remote.commitByOthers({ ...Object.fromEntries(many), "f/x/y/z": "1" });
  await using it = new SourcesHarness(remote);
  const revision = await it.ready("a", { path: "f/x/y" });
  expect(revision.changed.id).toBe(head);
  expect(await readAll(revision)).toEqual({ z: "1" });
  expect(await it.answer("b", { path: "f/none" })).toMatchObject({ failure: { reason: "SourceNotFound" } });
});

test("a tree that contains itself many times is rejected", async () => {
  using remote = new FakeGitRemote();
  let id = remote.git(["hash-object", "-w", "--stdin"], "bomb").trim();
  let kind = "100644 blob";
  for (let level = 0; level < 12; level++) {
    const lines = Array.from({ length: 10 }, (_, index) => `${kind} ${id}\t${index}\n`).join("");
    id = remote.git(["mktree"], lines).trim();
    kind = "040000 tree";
  }
  const commit = remote
    .git(["-c", "user.name=S", "-c", "user.email=s@e", "commit-tree", "-m", "bomb", id])
    .trim();
  remote.git(["update-ref", "refs/heads/main", commit]);
  await using it = new SourcesHarness(remote);
  const { files } = await it.ready("a");
  await expect(files.list()).rejects.toMatchObject({ reason: "RenderLimit" });
});

test.for([
  {
    what: "one long path",
    names: ["n".repeat(300)],
    depth: 14,
    message: "a path of more than 4096 characters",
  },
  {
    what: "many paths",
    names: Array.from({ length: 100 }, (_, index) => `${index}`),
    depth: 3,
    message: "paths of more than 50000 characters",
  },
])("$what of nested folders is rejected", async ({ names, depth, message }) => {
  using remote = new FakeGitRemote();
  let id = remote.git(["hash-object", "-w", "--stdin"], "x").trim();
  let lines = names.map((name) => `100644 blob ${id}\t${name}\n`).join("");
  for (let level = 0; level < depth; level++) {
    id = remote.git(["mktree"], lines).trim();
    lines = `040000 tree ${id}\t${"d".repeat(300)}\n`;
  }
  const commit = remote
    .git(["-c", "user.name=S", "-c", "user.email=s@e", "commit-tree", "-m", "deep", id])
    .trim();
  remote.git(["update-ref", "refs/heads/main", commit]);
  await using it = new SourcesHarness(remote, { limits: { pathCharacters: 50_000 } });
  const { files } = await it.ready("a");
  await expect(files.list()).rejects.toMatchObject({
    reason: "RenderLimit",
    message: `Cannot read the folder: it has ${message}`,
  });
});

test("folders whose names have more bytes than all entries may have are rejected", async () => {
  using remote = new FakeGitRemote();
  let id = remote.git(["hash-object", "-w", "--stdin"], "x").trim();
  let kind = "100644 blob";
  for (let level = 0; level < 8; level++) {
    id = remote.git(["mktree"], `${kind} ${id}\t${"d".repeat(50_000)}\n`).trim();
    kind = "040000 tree";
  }
  const commit = remote
    .git(["-c", "user.name=S", "-c", "user.email=s@e", "commit-tree", "-m", "long", id])
    .trim();
  remote.git(["update-ref", "refs/heads/main", commit]);
  await using it = new SourcesHarness(remote, { limits: { entries: 1_000 } });
  const { files } = await it.ready("a");
  await expect(files.list()).rejects.toMatchObject({
    reason: "RenderLimit",
    message: "Cannot read the folder: it has folders whose names and ids have more than 300000 characters",
  });
});

test("a large folder among small ones is read", async () => {
  using remote = new FakeGitRemote();
  const many = Array.from({ length: 2_000 }, (_, index) => [`f/large/${"n".repeat(150)}${index}`, "x"]);
  remote.commitByOthers({ ...Object.fromEntries(many), "f/small/a": "1", "f/other/b": "2" });
  await using it = new SourcesHarness(remote);
  const { files } = await it.ready("a", { path: "f" });
  expect((await files.list()).files).toHaveLength(2_002);
});

test("more bytes than are allowed are not read", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ a: "x".repeat(600), b: "y".repeat(600) });
  await using it = new SourcesHarness(remote, { limits: { readBytes: 1_000 } });
  const { files } = await it.ready("a");
  const { files: listed } = await files.list();
  expect((await files.read([listed[0]?.blob ?? ""])).size).toBe(1);
  await expect(files.read(listed.map(({ blob }) => blob))).rejects.toMatchObject({ reason: "RenderLimit" });
});

test("a large file is not fetched if the server supports filters, and later pushes work", async () => {
  using remote = new FakeGitRemote();
  remote.git(["config", "uploadpack.allowFilter", "true"]);
  remote.commitByOthers({ "f/big": "x".repeat(5_001), "f/most": "y".repeat(5_000), "f/small": "1" });
  await using it = new SourcesHarness(remote, { limits: { fileBytes: 5_000 } });
  const first = await it.ready("a", { path: "f" });
  const { files } = await first.files.list();
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ["big", 5_001],
    ["most", 5_000],
    ["small", 1],
  ]);
  await expect(first.files.read(files.map(({ blob }) => blob))).rejects.toMatchObject({
    reason: "RenderLimit",
  });

  for (let round = 2; round < 5; round++) {
    const head = remote.commitByOthers({ "f/small": `${round}` });
    const next = await it.ready("a", { path: "f" }, (revision) => revision.head.id === head);
    const small = (await next.files.list()).files.find(({ path }) => path === "small")?.blob ?? "";
    expect((await next.files.read([small])).get(small)?.toString()).toBe(`${round}`);
  }
  expect(it.sources.stats.rebuilds).toBe(0);
  // Reading must never fetch missing objects from the remote: the clone does not know that it has one.
  const [clone = ""] = readdirSync(join(remote.folder, "cache"));
  const config = readFileSync(join(remote.folder, "cache", clone, "repository.git", "config"), "utf8");
  expect(config).not.toMatch(/remote|promisor|partial/i);
});

test("history is joined into few packs, for any number of pushes", async () => {
  using remote = new FakeGitRemote();
  remote.git(["config", "uploadpack.allowFilter", "true"]);
  remote.commitByOthers({ x: "0", big: "b".repeat(200) });
  await using it = new SourcesHarness(remote, { limits: { fileBytes: 100, packs: 4 } });
  await it.ready("a");
  for (let round = 1; round <= 12; round++) {
    const head = remote.commitByOthers({ x: `${round}` });
    it.sources.refresh({ key: "a" });
    await it.ready("a", {}, (revision) => revision.head.id === head);
  }
  const packs = execFileSync("find", [join(remote.folder, "cache"), "-name", "*.pack"], { encoding: "utf8" });
  expect(packs.trim().split("\n").length).toBeLessThanOrEqual(6);
  expect(it.sources.stats.rebuilds).toBe(0);
  expect((await it.ready("b")).head.id).toBe(remote.head());
});

test("a repository that is itself a shallow clone is supported", async () => {
  using remote = new FakeGitRemote();
  for (const x of ["1", "2", "3"]) remote.commitByOthers({ x });
  const shallow = join(mkdtempSync(join(remote.folder, "shallow-")), "remote.git");
  remote.git(["clone", "--quiet", "--bare", "--branch=main", "--depth=2", `file://${remote.path}`, shallow]);
  await using it = new SourcesHarness(remote);
  const options = { url: `file://${shallow}` };
  expect(await readAll(await it.ready("a", options))).toEqual({ x: "3" });
  const head = remote.commitByOthers({ x: "4" });
  remote.git(["push", "--quiet", `file://${shallow}`, "main"]);
  expect(await readAll(await it.ready("a", options, (revision) => revision.head.id === head))).toEqual({
    x: "4",
  });
});
