import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { sandboxArguments } from "../../../../operator/release/program/sandbox-arguments.ts";

// What if a program got out of its context? Here our own code stands where the sandbox's program stands, in the outer
// realm of the process, and tries.

const inside = resolve(import.meta.dirname, "../../../../operator/release/program/inside");
const written = join(import.meta.dirname, "written-by-sandbox");

const attempts: Readonly<Record<string, string>> = {
  "read a file": 'require("node:fs").readFileSync("/etc/hostname")',
  "see whether a file is there": 'require("node:fs").statSync("/etc/hostname")',
  "read the environment of others": 'require("node:fs").readFileSync("/proc/self/environ")',
  "write a file": `require("node:fs").writeFileSync(${JSON.stringify(written)}, "x")`,
  "write a database": `new (require("node:sqlite").DatabaseSync)(${JSON.stringify(written)})`,
  "start a process": 'require("node:child_process").execFileSync("/bin/true")',
  "become another program": 'process.execve("/bin/true")',
  "start a worker": 'new (require("node:worker_threads").Worker)("", { eval: true })',
  "load a native addon": 'process.dlopen({ exports: {} }, "/x.node")',
  "use internal bindings": 'process.binding("fs")',
  "signal its parent": "process.kill(process.ppid, 0)",
  "become somebody else": "process.setuid(0)",
  "start WASI": 'new (require("node:wasi").WASI)({ version: "preview1" })',
  "open the inspector": 'require("node:inspector").open(0)',
  "write a heap snapshot": 'require("node:v8").writeHeapSnapshot()',
  "make code of a text": 'new Function("return 1")()',
  "compile WebAssembly": "new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))",
  "change what its own functions stand on": "(() => { 'use strict'; Array.prototype.push = () => {}; })()",
};

const asynchronous: Readonly<Record<string, string>> = {
  "connect over TCP": 'require("node:net").connect(9, "127.0.0.1")',
  "listen on a port": 'require("node:net").createServer().listen(0)',
  "listen on a socket": 'require("node:net").createServer().listen("\\0fairlead-test")',
  "send a datagram": 'require("node:dgram").createSocket("udp4").bind(0)',
};

interface Report {
  readonly refused: Readonly<Record<string, string>>;
  readonly environment: readonly string[];
  readonly user: readonly [number, number, readonly number[]];
}

let report: Report;

beforeAll(async () => {
  const line = (name: string, code: string): string =>
    `try { ${code}; } catch (error) { refused[${JSON.stringify(name)}] = String(error?.code ?? error?.message ?? error); }`;
  const later = (name: string, code: string): string =>
    `waits.push(new Promise((done) => { try { const it = ${code}; it.on("error", (error) => { refused[${JSON.stringify(name)}] = String(error.code); done(); }); for (const event of ["connect", "listening"]) it.on(event, () => { it.close?.(); it.destroy?.(); done(); }); } catch (error) { refused[${JSON.stringify(name)}] = String(error.code); done(); } }));`;
  const { outputFiles } = await build({
    stdin: {
      contents: `import { giveUpRights } from "./rights.ts";
        giveUpRights(process);
        const refused = {}, waits = [];
        ${Object.entries(attempts)
          .map(([name, code]) => line(name, code))
          .join("\n")}
        ${Object.entries(asynchronous)
          .map(([name, code]) => later(name, code))
          .join("\n")}
        Promise.all(waits).then(() => {
          const user = [process.getuid(), process.getgid(), process.getgroups()];
          process.stdout.write(JSON.stringify({ refused, environment: Object.keys(process.env), user }));
        });`,
      resolveDir: inside,
    },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    logLevel: "silent",
  });
  const runner = outputFiles[0]?.text ?? "";
  report = JSON.parse(await runIn(runner)) as Report;
});

async function runIn(runner: string): Promise<string> {
  const prlimit = existsSync("/usr/bin/prlimit") ? "/usr/bin/prlimit" : undefined;
  const { wrapper, arguments: words } = sandboxArguments({ runner, memoryMiB: 128, prlimit });
  const child = spawn(wrapper ?? process.execPath, words, {
    cwd: "/",
    env: {},
    stdio: ["ignore", "pipe", "inherit"],
  });
  return readAll(child.stdout);
}

describe("the process of a sandbox can not", () => {
  test.for([...Object.keys(attempts), ...Object.keys(asynchronous)])("%s", (name) => {
    expect(report.refused[name]).toBeTypeOf("string");
    expect(existsSync(written)).toBe(false);
  });
});

test("the process of a sandbox has no environment", () => {
  expect(report.environment).toEqual([]);
});

test("the process of a sandbox is nobody, where it could be root", () => {
  const [user, group, groups] = report.user;
  if (process.getuid?.() !== 0) expect(user).toBe(process.getuid?.());
  else expect([user, group, groups]).toEqual([65_534, 65_534, [65_534]]);
});

test.runIf(existsSync("/usr/bin/prlimit"))(
  "the process of a sandbox gets no memory beyond its limit",
  async () => {
    const runner =
      "let got = 0; const all = []; try { for (;;) { all.push(new ArrayBuffer(64 << 20)); got += 64; if (got > 4096) break; } } catch {} process.stdout.write(String(got));";
    expect(Number(await runIn(runner))).toBeLessThan(1_024);
  },
);
