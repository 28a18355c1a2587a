import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { takeCacheSlot } from "../../../operator/git/cache-lock.ts";

function aBase(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "clone");
}

/** The pid of a process that has ended. */
function deadPid(): number {
  return spawnSync("true").pid;
}

test("concurrent callers get one folder each, also when its last holder was killed", async () => {
  for (let round = 0; round < 5; round++) {
    const base = aBase();
    mkdirSync(base, { mode: 0o700 });
    writeFileSync(join(base, "lock"), `${deadPid()} 1`);
    const slots = await Promise.all(Array.from({ length: 8 }, () => takeCacheSlot(base)));
    expect(new Set(slots.map(({ directory }) => directory)).size).toBe(8);
  }
});

test("a folder is locked whose last holder was killed, and then the process that was about to remove its lock", async () => {
  const base = aBase();
  mkdirSync(base, { mode: 0o700 });
  for (const left of ["lock", "lock-removing"]) writeFileSync(join(base, left), `${deadPid()} 1`);
  expect((await takeCacheSlot(base)).directory).toBe(base);
  expect(readdirSync(base)).toEqual(["lock"]);
});

test.each([
  { what: "whose operator has ended", operator: deadPid, taken: "clone" },
  { what: "whose operator runs", operator: () => process.pid, taken: "clone-1" },
  { what: "that is the first process of its container", operator: () => 0, taken: "clone-1" },
])("a holder $what: the next one locks $taken", async ({ operator, taken }) => {
  const base = aBase();
  mkdirSync(base, { mode: 0o700 });
  const holder = spawn("sleep", ["60"]);
  onTestFinished(() => void holder.kill("SIGKILL"));
  writeFileSync(join(base, "lock"), `${holder.pid} 1 ${operator()}`);
  const slot = takeCacheSlot(base);
  // A process that does not wait for the holder has another folder by now.
  await Promise.race([slot, setTimeout(200)]);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(basename((await slot).directory)).toBe(taken);
});

test("a released folder is locked again, and only the lock was ever left in it", async () => {
  const base = aBase();
  const first = await takeCacheSlot(base);
  expect(readdirSync(first.directory)).toEqual(["lock"]);
  await first.release();
  const second = await takeCacheSlot(base);
  expect(second.directory).toBe(first.directory);
  await second.release();
  expect(readdirSync(second.directory)).toEqual([]);
});
