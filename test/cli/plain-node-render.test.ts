import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { addProgramSupport } from "../../cli/image/add-program-support.ts";
import { bundleProgram } from "../../cli/image/bundle-program.ts";
import { launcherFile } from "../../operator/sandbox/find-launcher.ts";
import { kernelIsolation, launcher } from "../fakes/launcher.ts";
import { removeInnerIsolation } from "../fakes/plain-node.ts";
import {
  type AttemptReport,
  type AttemptTable,
  attackingProgram,
  attempts,
  connections,
  reportingProgram,
} from "../operator/sandbox/node-attempts.ts";
import { withoutCalls } from "../operator/sandbox/system-calls.ts";

// `fairlead render` of an untrusted program on a laptop, after a complete escape: the program is a plain Node that runs
// as the user. With the launcher the kernel isolates it; without it, all attempts succeed, which shows that they are
// effective.

const secret = "the user's own secret";
/** The user of the laptop: never root, whose process would become the user `nobody`. */
const isRoot = process.getuid?.() === 0;
const user = isRoot ? 61_234 : (process.getuid?.() ?? 0);
const perl = "/usr/bin/perl";
/** The three system calls of Landlock, which have the same numbers on all architectures. */
const landlock = [444, 445, 446];
const servers: Server[] = [];
let folder = "";
let other: ChildProcess;
let table: AttemptTable;

const home = (): string => join(folder, "home");
const source = (): string => join(folder, "source");
/** Folder of the command: with the launcher, or without. */
const command = (isolation: boolean): string => join(folder, isolation ? "isolated" : "open");

async function makeCommand(target: string): Promise<void> {
  await mkdir(target);
  const entry = resolve(import.meta.dirname, "../fakes/command-program.ts");
  await bundleProgram({ entry, outfile: join(target, "fairlead.mjs") });
  await addProgramSupport(target);
  await removeInnerIsolation(target);
}

/** Restores the home folder to its state before an attack. */
async function makeHome(): Promise<void> {
  await rm(home(), { recursive: true, force: true });
  await mkdir(join(home(), ".ssh"), { recursive: true, mode: 0o700 });
  await mkdir(join(home(), ".kube"), { mode: 0o700 });
  const files = [".ssh/id_ed25519", ".kube/config", ".netrc", "emptied", "deleted", "old"];
  for (const file of files) await writeFile(join(home(), file), secret, { mode: 0o600 });
  if (!isRoot) return;
  for (const path of ["", ".ssh", ".kube", ...files]) await chown(join(home(), path), user, user);
}

/** Listens like programs of a desktop: a development server, an agent of ssh, the session's bus. */
async function listen(): Promise<{ tcpPort: number; socket: string; abstractSocket: string }> {
  const [socket, abstractSocket] = [join(folder, "agent"), `\0fairlead-render-${process.pid}`];
  for (const place of [{ port: 0, host: "127.0.0.1" }, { path: socket }, { path: abstractSocket }]) {
    const server = createServer((connection) => void connection.on("error", () => {}).destroy());
    servers.push(server);
    await new Promise<void>((ready) => void server.listen(place, ready));
  }
  await chmod(socket, 0o777);
  const address = servers[0]?.address();
  return {
    tcpPort: typeof address === "object" && address !== null ? address.port : 0,
    socket,
    abstractSocket,
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-laptop-"));
  await chmod(folder, 0o755);
  await makeCommand(command(false));
  await promisify(execFile)("cp", ["-r", command(false), command(true)]);
  if (launcher !== undefined) await copyFile(launcher, join(command(true), launcherFile));
  // Node may be in a folder that only root can read.
  await copyFile(process.execPath, join(folder, "node"));
  await mkdir(source());
  other = spawn("/bin/sleep", ["600"], { stdio: "ignore", ...(isRoot && { uid: user, gid: user }) });
  const outside = {
    ...(await listen()),
    file: join(home(), ".ssh/id_ed25519"),
    folder: home(),
    pid: other.pid ?? 0,
  };
  // The command that runs the program is its parent.
  const inParent = (name: string): string => `"/proc/" + process.ppid + "/${name}"`;
  const { "list a folder": _, ...tries } = attempts(outside);
  table = {
    tries: {
      ...tries,
      "list the home folder": `fs.readdirSync(${JSON.stringify(home())})`,
      "read the kubeconfig": `fs.readFileSync(${JSON.stringify(join(home(), ".kube/config"))})`,
      "read passwords": `fs.readFileSync(${JSON.stringify(join(home(), ".netrc"))})`,
      "read the Release's own folder": `fs.readdirSync(${JSON.stringify(source())})`,
      "read the command's environment": `if (!fs.readFileSync(${inParent("environ")}, "utf8").includes("AWS_SECRET")) throw new Error("no secret")`,
      "read the command's memory": `fs.closeSync(fs.openSync(${inParent("mem")}, "r"))`,
      "read the command's descriptors": `fs.readdirSync(${inParent("fd")})`,
      "signal the command": "process.kill(process.ppid, 0)",
      "start many processes":
        "some([...Array(20).keys()], () => { const { error } = child.spawnSync('/bin/sh', ['-c', ':']); if (error) throw error; })",
      "fill the disk": `fs.writeFileSync(${JSON.stringify(join(home(), "large"))}, Buffer.alloc(2 ** 20))`,
      "see the network's addresses": "os.networkInterfaces()",
    },
    waits: connections({ ...outside, folder: home() }),
  };
  await writeFile(join(source(), "main.ts"), attackingProgram(table));
  const spec = {
    source: { url: "https://git.example.com/shop.git" },
    render: { program: { entry: "main.ts" } },
  };
  const release = {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { name: "attack" },
    spec,
  };
  await writeFile(join(folder, "release.json"), JSON.stringify(release));
});

beforeEach(makeHome);
afterAll(async () => {
  other.kill("SIGKILL");
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program as the user. */
async function run(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const options = {
    cwd: "/",
    env: { HOME: home(), AWS_SECRET_ACCESS_KEY: secret, PATH: "/usr/bin:/bin", ...env },
    ...(isRoot && { uid: user, gid: user }),
  };
  return await new Promise((done) => {
    execFile(file, args, options, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const runNode = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  run(join(folder, "node"), args, env);

const renderWords = (isolation: boolean): string[] => [
  join(command(isolation), "fairlead.mjs"),
  "render",
  join(folder, "release.json"),
  `--source=${source()}`,
];

async function attack(isolation: boolean): Promise<AttemptReport> {
  const { stdout, stderr } = await runNode(renderWords(isolation));
  expect(stderr).toBe("");
  const { data } = parse(stdout) as { data: { report: string } };
  return JSON.parse(data.report) as AttemptReport;
}

const allNames = (): string[] => [...Object.keys(table.tries), ...Object.keys(table.waits)];
/** With Yama, only root may read the memory of a process that is not its child. */
const memory = /^read the .*memory/;

describe.runIf(process.platform === "linux")(
  "an untrusted program that escaped from the isolation in its process",
  () => {
    test("can do all of this in a Node of the user", async () => {
      const wrapper = `process.getBuiltinModule("child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(reportingProgram(table))}], { stdio: "inherit" })`;
      const { tried, refused } = JSON.parse((await runNode(["-e", wrapper])).stdout) as AttemptReport;
      expect(tried).toEqual(allNames());
      expect(Object.keys(refused).filter((name) => !memory.test(name))).toEqual([]);
    });

    test("does all of it in `fairlead render` without the launcher, except growing files", async () => {
      const { tried, refused } = await attack(false);
      expect(tried).toEqual(allNames());
      const grows = /^(write a file|fill the disk)$/;
      expect(Object.keys(refused).filter((name) => !memory.test(name) && !grows.test(name))).toEqual([]);
      expect(existsSync(join(home(), "made"))).toBe(true);
    });

    test.runIf(kernelIsolation.keptApart)(
      "does none of it in `fairlead render` with the launcher",
      async () => {
        const before = await readdir(home());
        const { tried, refused, environment } = await attack(true);
        expect(tried).toEqual(allNames());
        expect(tried.filter((name) => !/^(EACCES|EPERM)$/.test(refused[name] ?? ""))).toEqual([]);
        expect(environment).toEqual(["TZ", "LC_ALL", "OPENSSL_CONF"]);
        expect(await readdir(home())).toEqual(before);
      },
    );

    test("is refused with exit code 2 in CI without the launcher, unless --weak-sandbox is given", async () => {
      const { code, stdout, stderr } = await runNode(renderWords(false), { CI: "true" });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(
        /^fairlead: Cannot read files that may be untrusted, because CI is set: the kernel does not isolate processes: the launcher is not installed .*--weak-sandbox$/m,
      );
      const accepted = await runNode([...renderWords(false), "--weak-sandbox"], { CI: "true" });
      expect([accepted.code, accepted.stderr]).toEqual([0, ""]);
    });

    test.runIf(kernelIsolation.keptApart && existsSync(perl))(
      "is refused in CI if the kernel has no Landlock, with the names of the layers",
      async () => {
        const words = ["-e", withoutCalls(landlock), join(folder, "node"), ...renderWords(true)];
        const { code, stdout, stderr } = await run(perl, words, { CI: "true" });
        expect([code, stdout]).toEqual([2, ""]);
        expect(stderr).toMatch(
          /because CI is set: the kernel does not fully isolate processes \(missing: files, tcp, scopes\)/,
        );
      },
    );
  },
);
