import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { getPriority } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { lowerChildren, toLowerRequest } from "../../../operator/sandbox/lower-children.ts";

async function aChild(): Promise<number> {
  const child: ChildProcess = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
  await once(child, "spawn");
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

test("lowerChildren() lowers the children that a process names, also if the requests are split and mixed with heartbeats", async () => {
  const [first, second, third] = [await aChild(), await aChild(), await aChild()];
  const lower = lowerChildren();
  lower(Buffer.from(`..${toLowerRequest(first)}.${toLowerRequest(second)}.`), process.pid);
  const request = toLowerRequest(third);
  lower(Buffer.from(`.${request.slice(0, 4)}`), process.pid);
  lower(Buffer.from(request.slice(4)), process.pid);
  expect([first, second, third].map((pid) => getPriority(pid))).toEqual([19, 19, 19]);
});

test("lowerChildren() lowers no other process", async () => {
  const own = getPriority(0);
  const child = await aChild();
  const lower = lowerChildren();
  lower(Buffer.from(toLowerRequest(child)), child);
  lower(Buffer.from(toLowerRequest(process.pid)), process.pid);
  lower(Buffer.from("lower 0\nlower 99999999999\nlower -1\nlower 4194305\n"), process.pid);
  expect([getPriority(child), getPriority(process.pid)]).toEqual([own, own]);
});
