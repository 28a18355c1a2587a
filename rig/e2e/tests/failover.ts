import { expect, test } from "vitest";
import { eventually } from "../../../test/cluster/eventually.ts";
import { CONTAINERD_SOCKET } from "../node/layout.ts";
import { gitOnHost, leaderOf, OPERATOR } from "../operator.ts";
import type { Stack } from "../stack.ts";

const { namespace } = OPERATOR;

/** Tests that the other pod continues after the leading one was killed. */
export function failoverTests(stack: () => Stack): void {
  test("after the leading pod is killed the other one leads, and handles the changes made meanwhile", async () => {
    const { kubectl } = stack();
    const deposed = await leaderOf(stack());
    await killContainer(stack(), deposed);
    const pod = `pod/${deposed}`;
    await kubectl(["delete", pod, "-n", namespace, "--force", "--grace-period=0", "--wait=false"]);
    // Requested while no instance leads.
    await kubectl(["patch", "echo", "hello-world", "--type=merge", "-p", '{"spec":{"message":"¡Adiós!"}}']);

    const leader = await eventually(
      async () => {
        const holder = await leaderOf(stack());
        return holder !== "" && holder !== deposed && holder;
      },
      { what: "the other pod leads" },
    );
    expect(leader).not.toBe(deposed);
    await eventually(async () => expect(await kubectl("logs job/hello-world")).toBe("¡Adiós!\n"), {
      what: "the new leader has replaced the Job",
      intervalMs: 250,
    });
    await eventually(
      async () =>
        expect(await gitOnHost(stack(), ["log", "-1", "--format=%B", "main"])).toContain(
          "Echo default/hello-world generation 2",
        ),
      { what: "the new leader has committed" },
    );
  });
}

/** Kills the container's first process, so that it cannot release its Lease or write a log line. */
async function killContainer(stack: Stack, pod: string): Promise<void> {
  const id = await stack.kubectl([
    ...["get", "pod", pod, "-n", namespace, "-o", "jsonpath={.status.containerStatuses[0].containerID}"],
  ]);
  const task = id.replace("containerd://", "");
  await stack.run(["ctr", "-a", CONTAINERD_SOCKET, "-n", "k8s.io", "task", "kill", "-s", "SIGKILL", task]);
}
