import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPlan } from "./node/layout.ts";
import type { Stack } from "./stack.ts";

/** Memory of one container, from its cgroup. */
export interface ContainerPeak {
  readonly pod: string;
  readonly container: string;
  readonly limitMiB: number;
  /** Peak of its processes' memory, without pages of files. */
  readonly peakMiB: number;
  /** Peak of all of its memory, as counted by the kernel. */
  readonly usedMiB: number;
  /** Number of processes that the kernel has killed because the container was out of memory. */
  readonly killed: number;
  readonly text: string;
}

/** A container, and its cgroup on the machine. */
export interface ContainerCgroup {
  readonly pod: string;
  readonly container: string;
  readonly folder: string;
}

/** Finds the cgroups of all containers in a namespace. */
export async function findCgroups(
  { kubectl, runDirectory }: Stack,
  namespace: string,
): Promise<readonly ContainerCgroup[]> {
  const list = JSON.parse(await kubectl(["get", "pods", "-n", namespace, "-o", "json"])) as {
    items: {
      metadata: { name: string };
      status: { containerStatuses: { name: string; containerID: string }[] };
    }[];
  };
  const hierarchy = readPlan(runDirectory).cgroups.find((folder) =>
    existsSync(join(folder, "memory.limit_in_bytes")),
  );
  const folders = readdirSync(hierarchy ?? "", { recursive: true, encoding: "utf8" });
  return list.items.flatMap(({ metadata, status }) =>
    status.containerStatuses.map(({ name, containerID }) => {
      const id = containerID.replace("containerd://", "");
      const folder = join(hierarchy ?? "", folders.find((path) => path.endsWith(`/${id}`)) ?? "missing");
      return { pod: metadata.name, container: name, folder };
    }),
  );
}

/** Polls the memory of all containers in a namespace from the machine, until `end()`. */
export async function measurePeaks(
  stack: Stack,
  namespace: string,
): Promise<{ readonly end: () => Promise<readonly ContainerPeak[]> }> {
  const containers = (await findCgroups(stack, namespace)).map((found) => ({ ...found, peak: 0 }));
  const poll = (): void => {
    for (const container of containers.filter(({ folder }) => existsSync(folder))) {
      const stat = readFileSync(join(container.folder, "memory.stat"), "utf8");
      const rss = Number(/^total_rss (\d+)$/m.exec(stat)?.[1]);
      container.peak = Math.max(container.peak, rss);
    }
  };
  for (const { folder } of containers) writeFileSync(join(folder, "memory.max_usage_in_bytes"), "0");
  poll();
  const timer = setInterval(poll, 50);
  return {
    end: async () => {
      clearInterval(timer);
      return containers.map(({ pod, container, folder, peak }) => {
        const read = (file: string): string => readFileSync(join(folder, file), "utf8");
        const limitMiB = Number(read("memory.limit_in_bytes")) / 2 ** 20;
        const peakMiB = Math.round(peak / 2 ** 20);
        const usedMiB = Math.round(Number(read("memory.max_usage_in_bytes")) / 2 ** 20);
        const killed = Number(/^oom_kill (\d+)$/m.exec(read("memory.oom_control"))?.[1]);
        const text = `${pod} ${container}: at most ${peakMiB} of ${limitMiB} MiB, with pages of files ${usedMiB}, ${killed} killed`;
        return { pod, container, limitMiB, peakMiB, usedMiB, killed, text };
      });
    },
  };
}
