import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { eventually } from "../../../test/cluster/eventually.ts";
import { podsOf } from "../operator.ts";
import type { Stack } from "../stack.ts";

const samples = ["echo", "scheduled-echo", "memcached", "easy-service", "podbuggertool"] as const;
const samplesFolder = new URL("../../../samples/", import.meta.url);

/** Creates the shipped samples. */
export async function applySamples({ kubectl }: Stack): Promise<void> {
  const texts = samples.map((name) => readFile(new URL(`${name}.yaml`, samplesFolder), "utf8"));
  await kubectl("apply -f -", { input: (await Promise.all(texts)).join("\n---\n") });
}

/** Tests the behaviour of the kinds' containers. */
export function kindTests(stack: () => Stack): void {
  test("an Echo's pod prints its message, and nothing else", async () => {
    await untilReady("echo", "hello-world");
    expect(await stack().kubectl("logs job/hello-world")).toBe("Hola, 世界!\n");
  });

  test("a Memcached's pods answer to stats", async () => {
    await untilReady("memcached", "example-memcached");
    const pods = await podsOf(stack(), "app=memcached");
    expect(pods).toHaveLength(3);
    for (const { address } of pods) {
      const answer = await stack().run(["busybox", "nc", address, "11211"], { input: "stats\nquit\n" });
      expect(answer).toMatch(/^STAT uptime \d+\r$/m);
      expect(answer).toMatch(/^STAT version 1\./m);
    }
    const nodes = await stack().kubectl("get memcached example-memcached -o jsonpath={.status.nodes}");
    expect(JSON.parse(nodes)).toEqual(pods.map(({ name }) => name).toSorted());
  });

  test("an EasyService's pods serve a page", async () => {
    await untilReady("easyservice", "easyservice-sample");
    const pods = await podsOf(stack(), "app=easyservice-sample");
    expect(pods).toHaveLength(2);
    for (const { address } of pods) {
      expect(await stack().run(["busybox", "wget", "-qO-", `http://${address}/`])).toContain(
        "Welcome to nginx!",
      );
    }
  });

  test("a Podbuggertool's shell runs in the selected pods, and can reach their servers", async () => {
    const { kubectl } = stack();
    await kubectl(
      "wait --for=jsonpath={.status.installed}=3 podbuggertool/podbtool-memcached --timeout=180s",
    );
    for (const { name } of await podsOf(stack(), "app=memcached")) {
      const shell = ["exec", name, "-c", "ephemeral-busybox", "--", "sh", "-c"];
      const ask = () => kubectl([...shell, "printf 'stats\\nquit\\n' | nc 127.0.0.1 11211; hostname"]);
      const answer = await eventually(ask, {
        what: "the shell has started",
        intervalMs: 250,
      });
      expect(answer).toMatch(/^STAT version 1\./m);
      expect(answer.trimEnd().split("\n").at(-1)).toBe(name);
    }
  });

  function untilReady(kind: string, name: string): Promise<string> {
    return stack().kubectl(`wait --for=condition=Ready --timeout=180s ${kind}/${name}`);
  }
}

/** Tests the ScheduledEcho, created first and checked last, because a CronJob starts at the next full minute. */
export function scheduledEchoTests(stack: () => Stack): void {
  test("a ScheduledEcho's pod prints its message at the scheduled minute", async () => {
    const selector = "app.kubernetes.io/name=scheduledecho,app.kubernetes.io/instance=hello-world-scheduled";
    // The CronJob deletes its oldest pods, perhaps between the list and the log.
    const printed = await eventually(
      async () => {
        const pod = (await podsOf(stack(), selector)).findLast(({ phase }) => phase === "Succeeded");
        return pod !== undefined && (await stack().kubectl(["logs", pod.name]));
      },
      { what: "the CronJob has run", intervalMs: 500 },
    );
    expect(printed).toBe("Hola, 世界!\n");
  });
}
