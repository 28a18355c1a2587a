import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { endGroup } from "../../../operator/git/end-group.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

/** A shell that leads a group, once it has said that its script has begun. */
async function aGroup(script: string) {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  if (child.pid === undefined) throw new Error("Cannot start a shell");
  return { pid: child.pid, ended };
}

test("endGroup() lets a process that listens put its things in order", async () => {
  const { pid, ended } = await aGroup("trap 'exit 7' TERM; echo; while :; do sleep 0.01; done");
  endGroup(pid, new FakeClock());
  expect(await ended).toEqual([7, null]);
});

test("endGroup() kills a process that does not listen, two seconds later", async () => {
  const { pid, ended } = await aGroup("trap '' TERM; echo; while :; do sleep 0.01; done");
  const clock = new FakeClock();
  endGroup(pid, clock);
  await clock.advance(1_999);
  expect(process.kill(pid, 0)).toBe(true);
  await clock.advance(1);
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("endGroup() expects nobody to be left", async () => {
  const { pid, ended } = await aGroup("echo");
  await ended;
  const clock = new FakeClock();
  endGroup(pid, clock);
  expect(clock.pendingDelaysMs).toEqual([]);
});
