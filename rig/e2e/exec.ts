import type { Stack } from "./stack.ts";

/** The container in which a command runs. */
export interface ExecPlace {
  readonly pod: string;
  readonly namespace: string;
  /** Default: the first container of the pod. */
  readonly container?: string;
}

/** Output of `kubectl exec` if the command was killed, for example together with its container. */
const killed = "terminated with exit code 137";
const maxKills = 3;
/** Output of `kubectl exec` if the container has ended, and did not start again yet. */
const gone = "container not found";
/** Patience for the start: the kubelet waits longer before each restart. */
const patienceMs = 180_000;

/**
 * Runs a command in a container, and returns its output. On a busy machine an operator may lose its Lease and restart, which
 * ends its container for a moment. Then the command is repeated.
 *
 * @throws If the command fails by itself, was killed three times, or the container does not start within 180 s.
 */
export async function execIn(
  stack: Stack,
  { pod, namespace, container }: ExecPlace,
  command: readonly string[],
): Promise<string> {
  const at = [pod, "-n", namespace, ...(container === undefined ? [] : ["-c", container])];
  const startedMs = performance.now();
  for (let kills = 0; ; ) {
    try {
      return await stack.kubectl(["exec", ...at, "--", ...command]);
    } catch (error) {
      if (String(error).includes(killed)) kills += 1;
      else if (!String(error).includes(gone) || performance.now() - startedMs > patienceMs) throw error;
      if (kills === maxKills) throw error;
      process.stderr.write(`The container of a command in ${pod} ended. ${await restartsOf(stack, at)}\n`);
      await stack.kubectl(["wait", "pod", pod, "-n", namespace, "--for=condition=Ready", "--timeout=180s"]);
    }
  }
}

/** How often its containers restarted, and the last lines of the former one: why it ended. */
async function restartsOf(stack: Stack, at: readonly string[]): Promise<string> {
  const counts = "jsonpath={range .status.containerStatuses[*]}{.name}={.restartCount} {end}";
  const restarts = await stack.kubectl(["get", "pod", ...at.slice(0, 3), "-o", counts]);
  const log = await stack.kubectl(["logs", ...at, "--previous", "--tail=5"]).catch(String);
  return `Restarts: ${restarts}. Its last lines:\n${log}`;
}
