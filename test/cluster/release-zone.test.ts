import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventually, kubectl, readObject } from "./fixture.ts";
import type { RunningOperator } from "./operator.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

/** Processes of the sandbox zone that an operator started, by the name of their service. */
function zoneOf({ pid }: RunningOperator): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
      const [, service] = /--zone=sandbox\/(\w+)/.exec(readFileSync(`/proc/${name}/cmdline`, "latin1")) ?? [];
      if (Number(parent) === pid && service !== undefined) found.set(service, Number(name));
    } catch {
      // It has ended in the meantime.
    }
  }
  return found;
}

const program = `
  import { ApiObject, type App, Chart } from "cdk8s";
  export default (app: App, colour: string) => {
    new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" }, data: { colour } });
  };`;

test("sources are rendered by processes without the operator's environment, which may crash at any time", async () => {
  const harness = await aReleaseHarness();
  const { namespace } = harness;
  const colourOf = async (name: string) =>
    (await readObject<ConfigMap>("configmaps", name, namespace))?.data?.["colour"];
  const first = harness.commit({
    "folder/web.json": aConfigMapFile("web", { colour: "blue" }),
    "program/main.ts": program,
  });
  const operator = await harness.start();
  await harness.release("folder");
  await harness.release("program", { render: { program: { inputs: "blue" } } });
  await harness.untilAt("folder", first);
  await harness.untilAt("program", first);
  const zone = zoneOf(operator);
  expect([...zone.keys()].toSorted()).toEqual(["programs", "reader"]);
  for (const pid of zone.values()) {
    expect(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean).toSorted()).toEqual([
      "LC_ALL=C",
      "TZ=UTC",
    ]);
  }

  // It is killed while a further render is requested: both are rendered, and no status claims otherwise.
  const second = harness.commit({ "folder/web.json": aConfigMapFile("web", { colour: "green" }) });
  for (const pid of zone.values()) process.kill(pid, "SIGKILL");
  await harness.untilAt("folder", second);
  expect(await colourOf("web")).toBe("green");
  await operator.untilLogged("A process of a zone ended, restarting it");

  // While the zone hangs, the deployed objects are kept in sync.
  for (const pid of zoneOf(operator).values()) process.kill(pid, "SIGSTOP");
  await kubectl(["patch", "cm", "web", "-n", namespace, "--type=merge", "-p", '{"data":{"colour":"red"}}']);
  await eventually(async () => (await colourOf("web")) === "green", { what: "the manual edit is reverted" });
  for (const pid of zoneOf(operator).values()) process.kill(pid, "SIGCONT");

  const third = harness.commit({ "program/main.ts": `${program}// Changed.\n` });
  await harness.untilAt("program", third);
  const last = [...zoneOf(operator).values()];
  await operator.stop("SIGKILL");
  await eventually(() => last.every((pid) => !isAlive(pid)), { what: "the zone ends with the operator" });
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
