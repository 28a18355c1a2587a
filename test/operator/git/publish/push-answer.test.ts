import { describe, expect, test } from "vitest";
import { readPushAnswer } from "../../../../operator/git/publish/push-answer.ts";

const bang = (summary: string) => `To /srv/x\n!\tabc:refs/heads/main\t${summary}\nDone\n`;

describe("readPushAnswer()", () => {
  test.for([
    { stdout: "To x\n \tabc:refs/heads/main\ta..b\nDone\n", exitCode: 0, kind: "pushed" },
    { stdout: "To x\n*\tabc:refs/heads/main\t[new branch]\nDone\n", exitCode: 0, kind: "pushed" },
    { stdout: "To x\n=\tabc:refs/heads/main\t[up to date]\nDone\n", exitCode: 0, kind: "pushed" },
    { stdout: bang("[rejected] (stale info)"), kind: "moved" },
    { stdout: bang("[rejected] (fetch first)"), kind: "moved" },
    {
      stdout: bang("[remote rejected] (cannot lock ref 'refs/heads/main': is at a but expected b)"),
      kind: "moved",
    },
    { stdout: bang("[remote rejected] (failed to update ref)"), kind: "moved" },
    { stdout: bang("[remote rejected] (incorrect old value provided)"), kind: "moved" },
    { stdout: bang("[remote rejected] (pre-receive hook declined)"), kind: "refused" },
    { stdout: bang("[remote rejected] (protected branch hook declined)"), kind: "refused" },
    { stdout: bang("[remote rejected] (shallow update not allowed)"), kind: "unsuitable" },
    { stdout: bang("[remote failure] (remote failed to report status)"), kind: "unknown" },
    { stdout: "", stderr: "fatal: the remote end hung up unexpectedly", kind: "unknown" },
    { stdout: "", stderr: "The requested URL returned error: 403", kind: "refused" },
    {
      stdout: "",
      stderr: "ERROR: The key you are authenticating with has been marked as read only.",
      kind: "refused",
    },
    {
      stdout: "",
      stderr: "the receiving end does not support this repository's hash algorithm",
      kind: "incompatible",
    },
    { stdout: "", exitCode: 0, kind: "unknown" },
  ])("$stdout $stderr: $kind", ({ stdout, stderr = "", exitCode = 1, kind }) => {
    expect(readPushAnswer({ stdout: [stdout], stderr, exitCode }).kind).toBe(kind);
  });

  const locked = (path: string) => ({
    stdout: [bang("[remote rejected] (failed to update ref)")],
    stderr: `remote: error: cannot lock ref 'refs/heads/main': Unable to create '${path}': File exists.\n`,
    exitCode: 1,
  });

  test.for([
    { path: "/srv/a b.git/./refs/heads/team/main.lock", lock: "/srv/a b.git/refs/heads/team/main.lock" },
    { path: "/srv/x.git/HEAD.lock", lock: "/srv/x.git/HEAD.lock" },
  ])("a branch that is locked by $path", ({ path, lock }) => {
    expect(readPushAnswer(locked(path))).toEqual({ kind: "locked", lock });
  });

  test.for([
    "/etc/passwd",
    "/etc/shadow.lock",
    "/srv/refs/heads/../../etc/cron.lock",
    "refs/heads/main.lock",
    "/srv/\u001b[2J/refs/heads/main.lock",
    `/${"a".repeat(300)}/refs/heads/main.lock`,
  ])("does not repeat %j as the path of a lock", (path) => {
    expect(readPushAnswer(locked(path))).toEqual({ kind: "moved" });
  });

  test("a rejected push has the reason, and the message of the hook", () => {
    const stderr = "remote: only on weekdays\nerror: failed to push some refs to '/srv/x'\n";
    expect(
      readPushAnswer({ stdout: [bang("[remote rejected] (hook declined)")], stderr, exitCode: 1 }),
    ).toEqual({
      kind: "refused",
      reason: "hook declined\nremote: only on weekdays",
    });
  });
});
