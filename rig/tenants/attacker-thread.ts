import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { eventually } from "../../test/cluster/eventually.ts";
import { chanceFrom } from "../faults/random.ts";
import { makeAction } from "./actions.ts";
import { beginAttacker, probe, roundLength } from "./begin-attacker.ts";
import { aConfigMap } from "./releases.ts";
import { type Neighbour, Tenant } from "./tenant.ts";

// The attacker of `npm run test:tenant-latency`, in a thread of its own: its git commands block their thread.

export interface AttackerInput {
  readonly seed: number;
  readonly namespace: string;
  readonly kubeconfigPath: string;
  readonly other: { readonly namespace: string; readonly path: string };
  /** Pause after each action, in milliseconds. */
  readonly pauseMs: number;
}

/** `end`: its Releases are deleted. `close`: the thread ends. */
export type AttackerOrder = "begin" | "end" | "close";

/** Sent after each order: actions so far. */
export interface AttackerReport {
  readonly actions: number;
}

if (parentPort === null) throw new Error("This file is for a worker thread");
const port = parentPort;
const { seed, namespace, kubeconfigPath, other, pauseMs } = workerData as AttackerInput;
const chance = chanceFrom(seed);
const attacker = await Tenant.connect(namespace, kubeconfigPath);
// Actions need only the path and the namespace of the other tenant.
const neighbour = { namespace: other.namespace, git: { path: other.path } } as Neighbour;
let actions = 0;
let isActing = false;
let work: Promise<void> = Promise.resolve();

port.on("message", async (order: AttackerOrder) => {
  if (order === "begin") {
    await beginAttacker(attacker);
    isActing = true;
    // No handler is attached while the tenant acts, so a failure ends the thread at once.
    work = act();
  } else {
    isActing = false;
    await work;
    if (order === "end") await attacker.leaveAll();
    else {
      await attacker.close();
      port.close();
      return;
    }
  }
  port.postMessage({ actions } satisfies AttackerReport);
});

/** Acts like the random search: some actions, then it waits until the operator has observed them. */
async function act(): Promise<void> {
  while (isActing) {
    for (let count = roundLength; count > 0 && isActing; count--) {
      await attacker.make(makeAction(chance), neighbour);
      actions++;
      await sleep(pauseMs);
    }
    const commit = attacker.commit({ [`${probe}/probe.json`]: aConfigMap("probe", String(chance.next())) });
    await eventually(async () => !isActing || (await attacker.revisionOf(probe)) === commit, {
      what: `the probe is deployed from ${commit}`,
    });
  }
}
