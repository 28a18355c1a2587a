import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { expect, test } from "vitest";
import { lowerPriority } from "../../../../operator/sandbox/program/lower-priority.ts";

test("lowerPriority() lowers a process, and its session if the system shares the CPU among sessions", async () => {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { detached: true });
  await once(child, "spawn");
  const { pid } = child;
  if (pid === undefined) throw new Error("Cannot start a process");
  try {
    lowerPriority(pid);
    expect(getPriority(pid)).toBe(19);
    const group = `/proc/${pid}/autogroup`;
    if (existsSync(group)) expect(readFileSync(group, "latin1")).toMatch(/nice 19$/m);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  expect(() => lowerPriority(pid)).not.toThrow();
});

const ownGroup = "/proc/self/autogroup";

test.runIf(existsSync(ownGroup))(
  "lowerPriority() does not change a session that the process does not lead",
  async () => {
    const before = readFileSync(ownGroup, "latin1");
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    await once(child, "spawn");
    lowerPriority(child.pid ?? 0);
    const after = readFileSync(ownGroup, "latin1");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(after).toBe(before);
  },
);
