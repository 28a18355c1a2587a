import { rm } from "node:fs/promises";
import { readClusterRecord } from "./cluster-record.ts";
import { stopComponents } from "./component-process.ts";
import { lockPathOf, removeStaleLock } from "./lock.ts";
import { WATCHDOG_RELEASE } from "./watchdog-guard.ts";

/**
 * Runs as a separate process: `watchdog.ts RUN_DIRECTORY`. If its standard input is closed without the word of release,
 * its parent has ended, for whatever reason: it stops the cluster and removes the folder.
 */
const runDirectory = process.argv[2] ?? "";
let received = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) received += chunk;

if (!received.includes(WATCHDOG_RELEASE)) {
  const record = readClusterRecord(runDirectory);
  if (record !== undefined) await stopComponents(record, { graceMs: 1_000 });
  await rm(runDirectory, { recursive: true, force: true });
  await removeStaleLock(lockPathOf(runDirectory));
}
