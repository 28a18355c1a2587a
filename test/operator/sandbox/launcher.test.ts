import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type LaunchRules,
  launchArguments,
  reportArguments,
} from "../../../operator/sandbox/launch-arguments.ts";
import { launcher as built, kernelIsolation } from "../../fakes/launcher.ts";
import { patienceMs } from "../../patience.ts";
import { withoutCalls } from "./system-calls.ts";

const run = promisify(execFile);
const launcher = built ?? "";
const perl = "/usr/bin/perl";
const { read, execute } = kernelIsolation.node;
const node: LaunchRules = { read, execute, environment: { OPENSSL_CONF: "" }, user: 0 };
const landlockCalls = [444, 445, 446];
const seccompCall = process.arch === "arm64" ? 277 : 317;

/** The output of Node under these restrictions. */
async function evaluate(rules: LaunchRules, expression: string): Promise<string> {
  const program = `try { require("fs").writeSync(1, String(${expression})); } catch (error) { require("fs").writeSync(1, error.code); }`;
  const { stdout } = await run(launcher, launchArguments(rules, [process.execPath, "-e", program]), {
    cwd: "/",
  });
  return stdout;
}

describe.runIf(launcher !== "")("fairlead-launch", () => {
  const { inForce, missing } = kernelIsolation;

  test("reports each layer as in force or missing", () => {
    expect([...inForce, ...missing]).toHaveLength(5);
    expect(inForce).toContain("no-new-privileges");
  });

  test.runIf(existsSync(perl))("reports which layers a kernel lacks", async () => {
    const report = async (numbers: readonly number[]): Promise<unknown> => {
      const words = ["-e", withoutCalls(numbers), launcher, ...reportArguments({ seccomp: "program" })];
      return JSON.parse((await run(perl, words)).stdout);
    };
    expect(await report(landlockCalls)).toMatchObject({
      landlockAbi: 0,
      missing: ["files", "tcp", "scopes"],
    });
    expect(await report([seccompCall])).toMatchObject({ missing: expect.arrayContaining(["seccomp"]) });
  });

  test.runIf(existsSync(perl))("starts nothing if a required layer is missing", async () => {
    const words = launchArguments({ ...node, require: ["files"] }, [
      process.execPath,
      "-e",
      "console.log(1)",
    ]);
    const started = run(perl, ["-e", withoutCalls(landlockCalls), launcher, ...words]);
    await expect(started).rejects.toMatchObject({
      code: 125,
      stdout: "",
      stderr: "fairlead-launch: Cannot start the program: this kernel lacks files\n",
    });
  });

  test.for([
    ["--rx=/bin", 'Cannot read "--rx": no such rule'],
    ["--seccomp=none", 'Cannot read --seccomp "none": expected program, reader, programs, git or source'],
    ["--tcp-connect=70000", 'Cannot read --tcp-connect "70000": expected a number in range'],
    ["--tcp-listen=x", 'Cannot read --tcp-listen "x": expected a number in range'],
    ["--children-user=root", 'Cannot read --children-user "root": expected a number in range'],
    ["--listen=/does/not/exist", 'Cannot listen at "/does/not/exist": no such file or directory'],
    ["--core=-1", 'Cannot read --core "-1": expected a number in range'],
    ["--require=fire", 'Cannot require "fire": no such layer'],
    ["--ro=/does/not/exist", 'Cannot open "/does/not/exist": no such file or directory'],
  ] as const)("refuses %s", async ([rule, message]) => {
    const started = run(launcher, [rule, "--", "/bin/true"]);
    await expect(started).rejects.toMatchObject({
      code: 125,
      stderr: expect.stringContaining(message),
    });
  });

  test.runIf(inForce.includes("files"))(
    "allows the paths in its rules, and everything below a folder",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-launch-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const write = `require("fs").writeFileSync(${JSON.stringify(join(folder, "text"))}, "x")`;
      expect(await evaluate({ ...node, read: [...read, folder] }, write)).toBe("EACCES");
      expect(await evaluate({ ...node, write: [folder] }, write)).toBe("undefined");
      const list = `require("fs").readdirSync(${JSON.stringify(folder)})`;
      expect(await evaluate({ ...node, read: [...read, folder] }, list)).toBe("text");
    },
  );

  test.runIf(inForce.includes("files"))("starts no other program, also without a filter", async () => {
    const start = (file: string, word: string) =>
      `require("child_process").execFileSync(${file}, ["${word}"], { encoding: "utf8" }).trim()`;
    expect(await evaluate(node, start('"/bin/true"', ""))).toBe("EACCES");
    expect(await evaluate(node, start("process.execPath", "--version"))).toBe(process.version);
  });

  test.runIf(inForce.includes("tcp"))("allows connections only to the ports in its rules", async () => {
    const server = createServer((socket) => void socket.destroy());
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const connect = `require("net").connect(${port}, "127.0.0.1").on("error", (e) => require("fs").writeSync(1, e.code)).on("connect", () => require("fs").writeSync(1, "connected")) && ""`;
    expect(await evaluate(node, connect)).toBe("EACCES");
    expect(await evaluate({ ...node, tcpConnect: [port + 1] }, connect)).toBe("EACCES");
    expect(await evaluate({ ...node, tcpConnect: [port] }, connect)).toBe("connected");
    expect(await evaluate({ ...node, tcpConnect: "any" }, connect)).toBe("connected");
  });

  test.runIf(inForce.includes("tcp"))("allows listening only on the ports in its rules", async () => {
    const listen = (port: number) =>
      `require("net").createServer().on("error", (e) => require("fs").writeSync(1, e.code)).listen(${port}, "127.0.0.1", function () { require("fs").writeSync(1, "listening"); this.close(); }) && ""`;
    expect(await evaluate(node, listen(0))).toBe("EACCES");
    expect(await evaluate({ ...node, tcpListen: [0] }, listen(0))).toBe("listening");
    expect(await evaluate({ ...node, tcpListen: [9_443] }, listen(0))).toBe("EACCES");
  });

  test("passes a program a Unix socket that it could not create itself", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-launch-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const listen = join(folder, "socket");
    await writeFile(listen, "left by an earlier process");
    const program = `const net = require("net"), server = net.createServer((socket) => {
      const own = net.createServer().on("error", (error) => socket.end(error.code)).listen("/tmp/own");
      server.close();
    }).listen({ fd: 3 });`;
    const rules = { ...node, listen, seccomp: "reader" } as const;
    const served = run(launcher, launchArguments(rules, [process.execPath, "-e", program]), { cwd: "/" });
    const socket = await vi.waitFor(async () => {
      const connecting = connect(listen);
      await once(connecting, "connect");
      return connecting;
    }, patienceMs);
    expect(statSync(listen).mode & 0o777).toBe(0o660);
    expect(await readAll(socket)).toBe("EPERM");
    await served;
  });

  test("reads its first arguments from the environment if the command line contains no rules", async () => {
    const words = launchArguments({ ...node, seccomp: "program" }, [process.execPath]).join("\n");
    const start = async (args: readonly string[]): Promise<string> =>
      (await run(launcher, args, { cwd: "/", env: { FAIRLEAD_LAUNCH: words } })).stdout;
    expect(await start(["-p", "Object.keys(process.env)"])).toBe("[ 'OPENSSL_CONF' ]\n");
    expect(await start(launchArguments(node, [process.execPath, "-p", "1 + 1"]))).toBe("2\n");
  });

  test.runIf(inForce.includes("scopes"))(
    "confines signals and abstract sockets, also without a filter",
    async () => {
      const name = `\\0fairlead-scope-${process.pid}`;
      const server = createServer((socket) => void socket.destroy());
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => void server.listen(name.replace("\\0", "\0"), resolve));
      expect(await evaluate(node, `process.kill(${process.pid}, 0)`)).toBe("EPERM");
      const connect = `require("net").connect("${name}").on("error", (e) => require("fs").writeSync(1, e.code)) && ""`;
      expect(await evaluate(node, connect)).toBe("EPERM");
    },
  );

  test("passes the program no descriptor of its parent except its streams", async () => {
    const look = 'try { require("fs").fstatSync(60); } catch (error) { console.log(error.code); }';
    const command = [process.execPath, "-e", look];
    const words = launchArguments({ ...node, seccomp: "program" }, command);
    const said = async ([file = "", ...rest]: readonly string[]): Promise<string> => {
      const stdio = Array.from({ length: 61 }, (_, index) =>
        index === 1 || index === 60 ? "pipe" : "ignore",
      );
      return readAll(spawn(file, rest, { stdio, cwd: "/" }).stdout as Readable);
    };
    expect(await said(command)).toBe("");
    expect(await said([launcher, ...words])).toBe("EBADF\n");
  });

  test("limits the resources of the program", async () => {
    const fill =
      "(() => { let got = 0; const all = []; try { for (;;) { all.push(new ArrayBuffer(64 << 20)); got += 64; if (got > 4096) break; } } catch {} return got; })()";
    const limits = { "memory-data": 896 * 2 ** 20, core: 0, "file-size": 0, "open-files": 64 };
    expect(Number(await evaluate({ ...node, limits }, fill))).toBeLessThan(1_024);
    const loop = run(
      launcher,
      launchArguments({ ...node, limits: { "cpu-seconds": 1 } }, [process.execPath, "-e", "for (;;);"]),
    );
    await expect(loop).rejects.toMatchObject({ signal: "SIGKILL" });
  });

  test("drops root privileges", async () => {
    const status = 'require("fs").readFileSync("/proc/self/status", "utf8")';
    const text = await evaluate({ ...node, read: [...read, "/proc"] }, status);
    const fields = Object.fromEntries(text.split("\n").map((line) => line.split(":\t")));
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapAmb"]) expect(fields[set]).toBe("0000000000000000");
    if (process.getuid?.() === 0) expect(fields["CapBnd"]).toBe("0000000000000000");
    expect(fields["NoNewPrivs"]).toBe("1");
  });

  test.runIf(process.getuid?.() === 0)(
    "starts a program from a folder that only root may enter",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-launch-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const own = join(folder, "node");
      await copyFile(process.execPath, own);
      await chmod(folder, 0o700);
      const rules = { ...node, user: 65_534, execute: [own, ...execute.slice(1)] };
      const { stdout } = await run(launcher, launchArguments(rules, [own, "-p", "process.getuid()"]), {
        cwd: "/",
      });
      expect(stdout).toBe("65534\n");
    },
  );
});
