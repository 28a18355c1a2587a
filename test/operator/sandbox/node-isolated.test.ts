import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchArguments } from "../../../operator/sandbox/launch-arguments.ts";
import { kernelIsolation, launcher } from "../../fakes/launcher.ts";
import type { AttemptReport } from "./node-attempts.ts";
import { attemptNames, WorldOutside } from "./world-outside.ts";

// The sandbox after a complete escape: a plain Node, no permission model, no context. Only the kernel's isolation is
// left.

const { read, execute } = kernelIsolation.node;
const rules = { read, execute, seccomp: "program", environment: { OPENSSL_CONF: "" } } as const;
let world: WorldOutside;

beforeAll(async () => {
  world = await WorldOutside.open();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.runIf(process.platform === "linux")("plain Node", () => {
  test("can do all of this without isolation", async () => {
    const { refused } = await world.attack("open", ([file = "", ...words]) => [file, words]);
    // With Yama, only root may read the memory of a process that is not its child.
    const { "read the memory of another process": memory, ...others } = refused;
    expect(others).toEqual({});
    if (process.getuid?.() === 0) expect(memory).toBeUndefined();
    expect(existsSync(join(world.folder, "open", "written"))).toBe(true);
  });
});

describe.runIf(launcher !== undefined)("plain Node with isolation", () => {
  let asNobody: AttemptReport;
  let asSelf: AttemptReport;
  beforeAll(async () => {
    const wrap = (user: number) => (command: string[]) =>
      [launcher ?? "", launchArguments({ ...rules, user }, command)] satisfies [string, string[]];
    asNobody = await world.attack("nobody", wrap(65_534));
    // Without the help of file modes: it runs as the user that owns everything outside.
    asSelf = await world.attack("self", wrap(0));
  });

  test.for(attemptNames())("can not %s", (name) => {
    expect(asNobody.refused[name]).toMatch(/^(EACCES|EPERM)$/);
    expect(asSelf.refused[name]).toMatch(/^(EACCES|EPERM)$/);
  });

  test("has changed nothing", () => {
    for (const run of ["nobody", "self"]) {
      for (const name of ["written", "made", "new", "link", "own"])
        expect(existsSync(join(world.folder, run, name))).toBe(false);
      expect(statSync(join(world.folder, run, "emptied")).size).toBeGreaterThan(0);
      expect(existsSync(join(world.folder, run, "deleted"))).toBe(true);
    }
  });

  test("runs as the user nobody if root started it", () => {
    const own = [process.getuid?.(), process.getgid?.()];
    expect(asNobody.user).toEqual(process.getuid?.() === 0 ? [65_534, 65_534] : own);
    expect(asSelf.user).toEqual(own);
  });

  test("has only the given environment", () => {
    expect(asNobody.environment).toEqual(["OPENSSL_CONF"]);
  });
});
