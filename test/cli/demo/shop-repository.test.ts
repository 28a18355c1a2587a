import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSamples, withSource } from "../../../cli/demo/samples.ts";
import { createShopRepository } from "../../../cli/demo/shop-repository.ts";

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("createShopRepository() creates a repository with the folders of the sample Releases, and a clone to push from", async () => {
  const { path, workTree } = await createShopRepository(aFolder());
  const git = (cwd: string, ...command: string[]): string =>
    execFileSync("git", command, { cwd, encoding: "utf8" }).trim();

  const paths = git(path, "ls-tree", "-r", "--name-only", "main").split("\n");
  const releases = readSamples().filter(({ kind }) => kind === "Release");
  for (const { spec } of releases) {
    const { path: folder } = (spec as { source: { path: string } }).source;
    expect(paths.some((one) => one.startsWith(`${folder}/`))).toBe(true);
  }
  expect(readdirSync(workTree)).toContain("web");

  appendFileSync(join(workTree, "web/main.ts"), "\n");
  git(workTree, "commit", "-qam", "An edit");
  git(workTree, "push", "-q");
  expect(git(path, "log", "-1", "--format=%s %an", "main")).toBe("An edit Demo User");
});

test("withSource() sets a URL in Releases, and does not change anything else", () => {
  const [release, ...others] = readSamples();
  expect(release?.kind).toBe("Release");
  expect(withSource(release as never, "file:///x")).toMatchObject({
    spec: { source: { url: "file:///x", path: "web" } },
  });
  const echo = others.find(({ kind }) => kind === "Echo");
  expect(withSource(echo as never, "file:///x")).toBe(echo);
});
