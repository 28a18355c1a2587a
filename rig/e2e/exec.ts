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
const maxTries = 3;

/**
 * Runs a command in a container, and returns its output. On a busy machine an operator may lose its Lease and restart, which
 * kills the command. Then the command is repeated.
 *
 * @throws If the command fails by itself, or was killed three times.
 */
export async function execIn(
  stack: Stack,
  { pod, namespace, container }: ExecPlace,
  command: readonly string[],
): Promise<string> {
  const at = [pod, "-n", namespace, ...(container === undefined ? [] : ["-c", container])];
  for (let tries = 1; ; tries += 1) {
    try {
      return await stack.kubectl(["exec", ...at, "--", ...command]);
    } catch (error) {
      if (tries === maxTries || !String(error).includes(killed)) throw error;
      const restarts = "jsonpath={range .status.containerStatuses[*]}{.name}={.restartCount} {end}";
      const counts = await stack.kubectl(["get", "pod", pod, "-n", namespace, "-o", restarts]);
      process.stderr.write(`A command in ${pod} was killed; restarts of its containers: ${counts}\n`);
      await stack.kubectl(["wait", "pod", pod, "-n", namespace, "--for=condition=Ready", "--timeout=180s"]);
    }
  }
}
