import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { treeOf } from "../../../../rig/bench/releases/process-tree.ts";

test("the tree of a process has its children, theirs, and those of its threads", async () => {
  // Given a process with a child, and one that a thread has started
  const shell = spawn("sh", ["-c", "sleep 60 & echo $!; wait"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: shell.stdout }), "line")) as [string];
  const code = `
    const { spawn } = require("node:child_process");
    require("node:worker_threads").parentPort.postMessage(spawn("sleep", ["60"]).pid);
  `;
  const thread = new Worker(code, { eval: true });
  const [ofThread] = (await once(thread, "message")) as [number];
  try {
    // When the tree is read
    const tree = treeOf(process.pid);

    // Then it has all of them, after the process itself
    expect(tree[0]).toBe(process.pid);
    expect(tree).toEqual(expect.arrayContaining([shell.pid, Number(line), ofThread]));
  } finally {
    shell.kill();
    for (const pid of [Number(line), ofThread]) process.kill(pid);
    await thread.terminate();
  }
});

test("the tree of a process that has ended is only its id", async () => {
  // Given a process that has ended
  const child = spawn("true");
  await once(child, "exit");

  // When its tree is read, then it has no descendants
  expect(treeOf(child.pid ?? 0)).toEqual([child.pid]);
});
