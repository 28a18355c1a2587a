import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchArguments } from "../../../operator/sandbox/launch-arguments.ts";
import { kernelWalls, launcher } from "../../fakes/launcher.ts";
import { type AttemptReport, attemptProgram, attempts, connections, type Outside } from "./node-attempts.ts";

// The sandbox after a perfect escape: a plain Node, no permission model, no context. The kernel's walls alone.

const { read, execute } = kernelWalls.node;
const rules = { read, execute, seccomp: "program", environment: { OPENSSL_CONF: "" } } as const;
const servers = ["tcp", "socket", "abstract"].map(() => createServer((socket) => void socket.destroy()));
let folder = "";
let other: ChildProcess;
let outside: Outside;

async function makeFolder(name: string): Promise<string> {
  const made = join(folder, name);
  await promisify(execFile)("mkdir", ["-m", "777", made]);
  for (const file of ["emptied", "deleted", "old", "secret"]) {
    await writeFile(join(made, file), "content");
    await chmod(join(made, file), 0o666);
  }
  return made;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-walls-"));
  await chmod(folder, 0o755);
  other = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
  const [tcp, unix, abstract] = servers;
  const socket = join(folder, "socket");
  const abstractSocket = `\0fairlead-walls-${process.pid}`;
  await new Promise<void>((resolve) => void tcp?.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => void unix?.listen(socket, resolve));
  await new Promise<void>((resolve) => void abstract?.listen(abstractSocket, resolve));
  await chmod(socket, 0o777);
  const address = tcp?.address();
  const tcpPort = typeof address === "object" && address !== null ? address.port : 0;
  outside = { file: "", folder: "", tcpPort, socket, abstractSocket, pid: other.pid ?? 0 };
});

afterAll(async () => {
  other.kill("SIGKILL");
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

/** Runs all attempts in a Node, behind the walls or not. */
async function run(name: string, wrap: (command: string[]) => [string, string[]]): Promise<AttemptReport> {
  const own = await makeFolder(name);
  const program = attemptProgram({ ...outside, folder: own, file: join(own, "secret") });
  const [file, words] = wrap([process.execPath, "-e", program]);
  const { stdout } = await promisify(execFile)(file, words, { cwd: "/", env: {} });
  return JSON.parse(stdout) as AttemptReport;
}

const names = (): string[] => {
  const nowhere = { file: "", folder: "", tcpPort: 0, socket: "", abstractSocket: "", pid: 0 };
  return [...Object.keys(attempts(nowhere)), ...Object.keys(connections(nowhere))];
};

describe.runIf(process.platform === "linux")("plain Node", () => {
  test("can do all of this where there are no walls", async () => {
    const { refused } = await run("open", ([file = "", ...words]) => [file, words]);
    // Yama lets only root read the memory of a process that is no child.
    const { "read the memory of another process": memory, ...others } = refused;
    expect(others).toEqual({});
    if (process.getuid?.() === 0) expect(memory).toBeUndefined();
    expect(existsSync(join(folder, "open", "written"))).toBe(true);
  });
});

describe.runIf(launcher !== undefined)("plain Node behind the walls", () => {
  let asNobody: AttemptReport;
  let asSelf: AttemptReport;
  beforeAll(async () => {
    const wrap = (user: number) => (command: string[]) =>
      [launcher ?? "", launchArguments({ ...rules, user }, command)] satisfies [string, string[]];
    asNobody = await run("nobody", wrap(65_534));
    // Without the help of file modes: the user that owns everything outside.
    asSelf = await run("self", wrap(0));
  });

  test.for(names())("can not %s", (name) => {
    expect(asNobody.refused[name]).toMatch(/^(EACCES|EPERM)$/);
    expect(asSelf.refused[name]).toMatch(/^(EACCES|EPERM)$/);
  });

  test("has changed nothing", () => {
    for (const run of ["nobody", "self"]) {
      for (const name of ["written", "made", "new", "link", "own"])
        expect(existsSync(join(folder, run, name))).toBe(false);
      expect(statSync(join(folder, run, "emptied")).size).toBeGreaterThan(0);
      expect(existsSync(join(folder, run, "deleted"))).toBe(true);
    }
  });

  test("is nobody, where root started it", () => {
    const own = [process.getuid?.(), process.getgid?.()];
    expect(asNobody.user).toEqual(process.getuid?.() === 0 ? [65_534, 65_534] : own);
    expect(asSelf.user).toEqual(own);
  });

  test("has no environment but the one that it is given", () => {
    expect(asNobody.environment).toEqual(["OPENSSL_CONF"]);
  });
});
