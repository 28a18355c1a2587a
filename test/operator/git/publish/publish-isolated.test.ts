import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gitZoneCommand } from "../../../../operator/git/git-zone.ts";
import { publishZone } from "../../../../operator/git/publish/publish-process.ts";
import { kernelIsolation, launcher } from "../../../fakes/launcher.ts";
import { type AttemptReport, reportingProgram } from "../../sandbox/node-attempts.ts";
import { attemptNames, WorldOutside } from "../../sandbox/world-outside.ts";

// A plain Node instead of the process of the publish zone, as after an exploit of a reader of branches or answers.

let world: WorldOutside;
let report: AttemptReport;
/** Its attempts to access the folder of credentials and the clones. */
let own: AttemptReport;
/** The same without isolation. */
let free: AttemptReport;

/** It starts git and ssh, and resolves names over UDP. */
const allowed = [
  "start a process",
  "start Node again",
  "signal all processes of its group",
  "open a UDP socket",
  // Not covered by Landlock, and needed by git for its own files.
  "watch a file",
  "change who may read a file",
  "change the times of a file",
];

describe.runIf(launcher !== undefined)("a plain Node instead of the process of the publish zone", () => {
  beforeAll(async () => {
    world = await WorldOutside.open();
    const [sockets, cache, credentials, keys] = ["sockets", "cache", "credentials", "keys"].map((name) => {
      mkdirSync(join(world.folder, name));
      return join(world.folder, name);
    }) as [string, string, string, string];
    // As a mounted Secret.
    mkdirSync(join(credentials, "..2026"));
    symlinkSync("..2026", join(credentials, "..data"));
    symlinkSync("..data/password", join(credentials, "password"));
    writeFileSync(join(credentials, "..2026", "password"), "s3cret");
    // As a user's links to keys.
    for (const name of ["id", "other"]) writeFileSync(join(keys, name), "key");
    symlinkSync(join(keys, "id"), join(credentials, "identity"));
    const certificates = join(world.folder, "ca.pem");
    writeFileSync(certificates, "certificate");
    const command = gitZoneCommand(
      publishZone,
      {
        ...{ folder: sockets, cache, credentials, repository: "https://git.example.dev/manifests.git" },
        ...{ isolation: kernelIsolation, requireIsolation: false, logLevel: "info", logFormat: undefined },
      },
      { PATH: process.env["PATH"], HOME: "/root", SSL_CERT_FILE: certificates },
    );
    const rules = command.arguments.slice(0, command.arguments.indexOf("--") + 1);
    const start = (name: string, words: (program: string[]) => string[]) =>
      world.attack(name, (program) => [
        command.file,
        [...rules, ...words(program)],
        // Replaces an option of Node, because an attempt passes no options to the Node that it starts.
        { ...command.environment, OPENSSL_CONF: "" },
      ]);
    report = await start("publish", (program) => program);
    const tries = {
      "read its credentials": `fs.readFileSync(${JSON.stringify(join(credentials, "password"))})`,
      "read a key that they link to": `fs.readFileSync(${JSON.stringify(join(credentials, "identity"))})`,
      "read the certificates of its environment": `fs.readFileSync(process.env.SSL_CERT_FILE)`,
      "write to its clones": `fs.writeFileSync(${JSON.stringify(join(cache, "written"))}, "x")`,
      "read another key": `fs.readFileSync(${JSON.stringify(join(keys, "other"))})`,
      "write to its credentials": `fs.writeFileSync(${JSON.stringify(join(credentials, "written"))}, "x")`,
      "execute what it has written": `fs.writeFileSync(${JSON.stringify(join(cache, "run"))}, "#!/bin/sh\\n", { mode: 0o755 }); child.execFileSync(${JSON.stringify(join(cache, "run"))})`,
    };
    const program = reportingProgram({ tries, waits: {} });
    own = await start("own", ([node = ""]) => [node, "-e", program]);
    free = await world.attack("free", ([node = ""]) => [node, ["-e", program], command.environment]);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.for(attemptNames().filter((name) => !allowed.includes(name)))("can not %s", (name) => {
    expect(report.refused[name]).toMatch(/^(EACCES|EPERM|EAFNOSUPPORT)$/);
  });

  test("can do everything that the process needs", () => {
    expect(allowed.filter((name) => name in report.refused)).toEqual([]);
  });

  test("can read but not write its credentials, and write to its clones", () => {
    expect(own.refused).toEqual({
      "read another key": "EACCES",
      "write to its credentials": "EACCES",
      "execute what it has written": "EACCES",
    });
    expect(free.refused).toEqual({});
    expect(free.tried).toEqual(own.tried);
  });

  test("has only the environment variables of the process", () => {
    expect(report.environment).toEqual(["TZ", "PATH", "SSL_CERT_FILE", "OPENSSL_CONF"]);
  });
});
