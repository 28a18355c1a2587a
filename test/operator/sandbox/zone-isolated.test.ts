import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SandboxService } from "../../../operator/sandbox/messages.ts";
import { workerCommand } from "../../../operator/sandbox/worker-command.ts";
import { kernelIsolation, launcher } from "../../fakes/launcher.ts";
import type { AttemptReport } from "./node-attempts.ts";
import { attemptNames, WorldOutside } from "./world-outside.ts";

// A plain Node instead of a process of the sandbox zone, as after an exploit of a reader, of esbuild's library or of
// Node.

let world: WorldOutside;
beforeAll(async () => {
  world = await WorldOutside.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Runs attempts with the isolation of a process of the zone. */
async function attackAs(service: SandboxService): Promise<AttemptReport> {
  const folder = join(world.folder, randomUUID());
  mkdirSync(folder);
  const command = workerCommand(service, { folder, isolation: kernelIsolation, containerMemory: undefined });
  const rules = command.arguments.slice(0, command.arguments.indexOf("--") + 1);
  return world.attack(service, (words) => [
    command.file,
    [...rules, ...words],
    // Replaces an option of Node, because an attempt passes no options to the Node that it starts.
    { ...command.environment, OPENSSL_CONF: "" },
  ]);
}

/**
 * Permissions of the process that starts programs. Signals reach its own children: its process group contains only itself here.
 */
const allowed: Readonly<Record<SandboxService, readonly string[]>> = {
  reader: [],
  programs: [
    "read the command line of another process",
    "start Node again",
    "signal all processes of its group",
  ],
};

test.runIf(process.platform === "linux")("a plain Node can do all of it without isolation", async () => {
  const { refused } = await world.attack("open", ([file = "", ...words]) => [file, words]);
  // With Yama, only root may read the memory of a process that is not its child.
  const { "read the memory of another process": _, ...others } = refused;
  expect(others).toEqual({});
});

describe.runIf(launcher !== undefined).for(["reader", "programs"] as const)(
  "instead of the %s",
  (service) => {
    let report: AttemptReport;
    beforeAll(async () => {
      report = await attackAs(service);
    });

    // A reader's filter denies signals; a process that starts others must be able to kill them.
    const unscoped = service === "programs" && !kernelIsolation.inForce.includes("scopes");
    const refused = attemptNames().filter(
      (name) => !allowed[service].includes(name) && !(unscoped && name === "signal another process"),
    );
    test.for(refused)("a plain Node can not %s", (name) => {
      expect(report.refused[name]).toMatch(/^(EACCES|EPERM)$/);
    });

    test("a plain Node can do everything that the process needs", () => {
      expect(allowed[service].filter((name) => name in report.refused)).toEqual([]);
    });

    test("a plain Node has changed nothing", () => {
      for (const name of ["written", "made", "new", "link", "own"])
        expect(existsSync(join(world.folder, service, name))).toBe(false);
      expect(existsSync(join(world.folder, service, "deleted"))).toBe(true);
    });

    test("a plain Node has only the environment variables of the process", () => {
      expect(report.environment).toEqual(["TZ", "LC_ALL", "OPENSSL_CONF"]);
    });
  },
);
