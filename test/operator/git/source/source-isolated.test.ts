import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gitZoneCommand } from "../../../../operator/git/git-zone.ts";
import { sourceZone } from "../../../../operator/git/source/source-process.ts";
import { kernelIsolation, launcher } from "../../../fakes/launcher.ts";
import type { AttemptReport } from "../../sandbox/node-attempts.ts";
import { attemptNames, WorldOutside } from "../../sandbox/world-outside.ts";

// A plain Node instead of the process of the source zone, as after an exploit of a reader of trees, commits or hooks.

let world: WorldOutside;
let report: AttemptReport;

/** It starts git and ssh, uses the Internet, and resolves names over UDP. */
const allowed = [
  "start a process",
  "start Node again",
  "signal all processes of its group",
  "connect over TCP",
  "open a UDP socket",
  // Not covered by Landlock, and needed by git for its own files.
  "watch a file",
  "change who may read a file",
  "change the times of a file",
];

describe.runIf(launcher !== undefined)("a plain Node instead of the process of the source zone", () => {
  beforeAll(async () => {
    world = await WorldOutside.open();
    const places = Object.fromEntries(
      ["sockets", "cache", "hooks"].map((name) => [name, join(world.folder, name)]),
    ) as Record<"sockets" | "cache" | "hooks", string>;
    for (const place of Object.values(places)) mkdirSync(place);
    writeFileSync(join(places.hooks, "shop"), "a secret of some length");
    const command = gitZoneCommand(
      sourceZone,
      {
        ...{ folder: places.sockets, cache: places.cache, cacheBytes: 2 ** 30, isolation: kernelIsolation },
        ...{ requireIsolation: false, allowFile: false, logLevel: "info", logFormat: undefined },
        hooks: { address: "127.0.0.1:8082", secrets: places.hooks },
      },
      { PATH: process.env["PATH"], HOME: "/root", https_proxy: "https://ann:t0ken@proxy.example.dev" },
    );
    expect(command.arguments.join(" ")).not.toContain("t0ken");
    const rules = command.arguments.slice(0, command.arguments.indexOf("--") + 1);
    report = await world.attack("source", (words) => [
      command.file,
      [...rules, ...words],
      // Replaces an option of Node, because an attempt passes no options to the Node that it starts.
      { ...command.environment, OPENSSL_CONF: "" },
    ]);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.for(attemptNames().filter((name) => !allowed.includes(name)))("can not %s", (name) => {
    expect(report.refused[name]).toMatch(/^(EACCES|EPERM|EAFNOSUPPORT)$/);
  });

  test("can do everything that the process needs", () => {
    expect(allowed.filter((name) => name in report.refused)).toEqual([]);
  });

  test("has only the environment variables of the process", () => {
    expect(report.environment).toEqual(["TZ", "PATH", "https_proxy", "OPENSSL_CONF"]);
  });
});
