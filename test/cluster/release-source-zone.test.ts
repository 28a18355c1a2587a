import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventually, kubectl, readObject } from "./fixture.ts";
import type { RunningOperator } from "./operator.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

/** The process of the source zone that an operator started; undefined: there is none. */
function sourceZoneOf({ pid }: RunningOperator): number | undefined {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
      const isSource = readFileSync(`/proc/${name}/cmdline`, "latin1").includes("/source.sock");
      if (Number(parent) === pid && isSource) return Number(name);
    } catch {
      // It has ended in the meantime.
    }
  }
  return undefined;
}

test("repositories are read by a separate process, which may crash or hang at any time", async () => {
  const harness = await aReleaseHarness();
  const { namespace } = harness;
  const colourOf = async (name: string) =>
    (await readObject<ConfigMap>("configmaps", name, namespace))?.data?.["colour"];
  const write = (colour: string) => harness.commit({ "shop/web.json": aConfigMapFile("web", { colour }) });
  const first = write("blue");
  const operator = await harness.start();
  await harness.release("shop");
  await harness.untilAt("shop", first);
  const zone = sourceZoneOf(operator) ?? 0;
  const environment = readFileSync(`/proc/${zone}/environ`, "utf8").split("\0").filter(Boolean);
  const names = environment.map((line) => line.split("=")[0]);
  expect(names).not.toContain("HOME");
  expect(environment.join()).not.toMatch(/kube/i);

  // A change while it is down is deployed after its restart, and no status claims otherwise in the meantime.
  process.kill(zone, "SIGKILL");
  const second = write("green");
  await harness.untilAt("shop", second);
  expect(await colourOf("web")).toBe("green");
  await operator.untilLogged("A process of a zone ended, restarting it");

  // A restart alone causes no write.
  const quiet = new Date();
  process.kill(sourceZoneOf(operator) ?? 0, "SIGKILL");
  await eventually(() => sourceZoneOf(operator) !== undefined, { what: "the zone has restarted" });
  const third = write("white");
  await harness.untilAt("shop", third);
  expect(await harness.writes(quiet)).toEqual([
    expect.stringMatching(/^patch configmaps web/),
    expect.stringMatching(/^(patch|put|update) releases\/?(status)? ?shop/),
  ]);

  // While it hangs, the deployed objects are kept in sync.
  process.kill(sourceZoneOf(operator) ?? 0, "SIGSTOP");
  await kubectl(["patch", "cm", "web", "-n", namespace, "--type=merge", "-p", '{"data":{"colour":"red"}}']);
  await eventually(async () => (await colourOf("web")) === "white", { what: "the manual edit is reverted" });
  const last = sourceZoneOf(operator) ?? 0;
  process.kill(last, "SIGCONT");

  const fourth = write("black");
  await harness.untilAt("shop", fourth);
  await operator.stop("SIGKILL");
  await eventually(() => !isAlive(last), { what: "the zone ends with the operator" });
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
