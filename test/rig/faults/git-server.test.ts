import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { GitServer } from "../../../rig/faults/git-server.ts";
import { eventually } from "../../cluster/eventually.ts";

test.for([
  { does: "goes away", move: (git: GitServer) => git.vanish() },
  { does: "comes back", move: (git: GitServer) => git.heal() },
])("a repository that $does while a branch is updated keeps no lock", async ({ does, move }) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = await GitServer.create(folder);
  if (does === "comes back") await git.vanish();
  const away = `${git.path}.away`;
  const place = existsSync(away) ? away : git.path;

  // Given an update that holds its locks for a while
  const begun = join(folder, "begun");
  const script = `#!/bin/sh\n[ "$1" = prepared ] || exit 0\ntouch '${begun}'; sleep 0.3\n`;
  writeFileSync(join(place, "hooks", "reference-transaction"), script, { mode: 0o755 });
  const update = promisify(execFile)("git", ["fast-import", "--quiet"], { cwd: place });
  update.child.stdin?.end(
    "commit refs/heads/main\ncommitter S <s@example.dev> 1700000000 +0000\ndata 1\na\n",
  );
  await eventually(() => existsSync(begun), { what: "the branch is locked" });

  // When the repository is to move
  await Promise.all([move(git), update]);

  // Then it has moved, with the update and without locks
  const now = place === away ? git.path : away;
  expect(readdirSync(join(now, "refs", "heads"))).toEqual(["main"]);
  expect(readdirSync(now).filter((name) => name.endsWith(".lock"))).toEqual([]);
});
