import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import {
  isRunning,
  readProcessIdentity,
  signalProcess,
} from "../../../cli/local-cluster/process-identity.ts";

async function aProcess() {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(child, "spawn");
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const identity = readProcessIdentity(child.pid ?? 0);
  if (identity === undefined) throw new Error("Cannot read a process that was just started");
  return { identity, ended };
}

test("a process is running until it ends", async () => {
  const { identity, ended } = await aProcess();
  expect(isRunning(identity)).toBe(true);

  expect(signalProcess(identity, "SIGKILL")).toBe(true);
  await ended;

  expect(isRunning(identity)).toBe(false);
  expect(signalProcess(identity, "SIGKILL")).toBe(false);
});

test("a process with the id of an earlier one is not mistaken for it, nor signalled", async () => {
  const { identity } = await aProcess();
  const earlier = { ...identity, startedAt: "earlier/1" };

  expect(isRunning(earlier)).toBe(false);
  expect(signalProcess(earlier, "SIGKILL")).toBe(false);
  expect(isRunning(identity)).toBe(true);
});
