import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { noKernelIsolation } from "../../../../operator/sandbox/kernel-isolation.ts";
import { buildLibraries } from "../../../../operator/sandbox/program/build-libraries.ts";
import { sandboxArguments } from "../../../../operator/sandbox/program/sandbox-arguments.ts";
import { buildText } from "../../../fakes/build-text.ts";

// A program that escaped from its context: test code replaces the runner, in the outer realm of the process. It can use
// `require` and `process`, as if it had found them in spite of all protections.

const inside = resolve(import.meta.dirname, "../../../../operator/sandbox/program/inside");
const written = join(import.meta.dirname, "written-by-sandbox");

/** A module with one function that does nothing. */
const wasmFunction = "0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,10,4,1,2,0,11";

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
  "compile a WebAssembly function": `new (webAssembly().Module)(Uint8Array.of(${wasmFunction}))`,
  "have a WebAssembly memory": "new (webAssembly().Memory)({ initial: 1 })",
  "have a WebAssembly table": "new (webAssembly().Table)({ initial: 1, element: 'anyfunc' })",
  "change an intrinsic": "Array.prototype.push = () => {}",
  "change the prototype of functions": "Function.prototype.seen = 1",
  "change an intrinsic that has no name": "Object.getPrototypeOf(async function* () {}).prototype.seen = 1",
  "write a report with addresses": "process.report.getReport()",
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
  /** The remaining properties of the global object. */
  readonly globals: readonly string[];
  /** Paths of objects that can be reached from them and are not frozen. */
  readonly changeable: readonly string[];
}

let report: Report;

beforeAll(async () => {
  const line = (name: string, code: string): string =>
    `try { ${code}; } catch (error) { refused[${JSON.stringify(name)}] = String(error?.code ?? error?.message ?? error); }`;
  const later = (name: string, code: string): string =>
    `waits.push(new Promise((done) => { try { const it = ${code}; it.on("error", (error) => { refused[${JSON.stringify(name)}] = String(error.code); done(); }); for (const event of ["connect", "listening"]) it.on(event, () => { it.close?.(); it.destroy?.(); done(); }); } catch (error) { refused[${JSON.stringify(name)}] = String(error.code); done(); } }));`;
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { giveUpRights } from "./rights.ts";
        const scope = globalThis;
        const { process, setImmediate, WebAssembly } = scope;
        const webAssembly = () => WebAssembly;
        const attempt = (require) => {
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
            const environment = Object.keys(process.env), globals = Reflect.ownKeys(scope).map(String);
            require("node:fs").writeSync(1, JSON.stringify({ refused, environment, user, globals, changeable: changeable() }));
          });
        };
        function changeable() {
          const found = [], seen = new Set([scope]);
          const look = (value, path) => {
            if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
            seen.add(value);
            if (!Object.isFrozen(value)) found.push(path);
            look(Object.getPrototypeOf(value), path + ".__proto__");
            for (const key of Reflect.ownKeys(value)) {
              const { value: own, get, set } = Object.getOwnPropertyDescriptor(value, key);
              for (const one of [own, get, set]) look(one, path + "." + String(key));
            }
          };
          for (const key of Reflect.ownKeys(scope)) look(scope[key], String(key));
          return found;
        }
        const held = scope.require;
        // As the runner does it: at the end of this turn Node puts back some names.
        setImmediate(() => attempt(held));`,
      resolveDir: inside,
    },
    bundle: true,
    write: false,
    // Wrapped like the runner.
    banner: { js: '"use strict"; (() => {' },
    footer: { js: "})();" },
    format: "cjs",
    platform: "node",
    logLevel: "silent",
  });
  const runner = outputFiles[0]?.text ?? "";
  report = JSON.parse(await runIn(runner)) as Report;
});

async function runIn(runner: string, stderr: "inherit" | "ignore" = "inherit"): Promise<string> {
  const isolation = noKernelIsolation("this is about the isolation inside the process");
  const prlimit = existsSync("/usr/bin/prlimit") ? "/usr/bin/prlimit" : undefined;
  const { wrapper, arguments: words } = sandboxArguments({ runner, memoryMiB: 128, isolation, prlimit });
  const child = spawn(wrapper ?? process.execPath, words, {
    cwd: "/",
    env: {},
    stdio: ["ignore", "pipe", stderr],
  });
  const { stdout } = child;
  return stdout === null ? "" : readAll(stdout);
}

describe("the process of a sandbox can not", () => {
  test.for([...Object.keys(attempts), ...Object.keys(asynchronous)])("%s", (name) => {
    expect(report.refused[name]).toBeTypeOf("string");
    expect(existsSync(written)).toBe(false);
  });
});

test("the global object of a sandbox's process contains only ECMAScript", () => {
  const unexpected = ["process", "require", "module", "Buffer", "fetch", "WebAssembly", "eval", "globalThis"];
  expect(report.globals.filter((name) => unexpected.includes(name))).toEqual([]);
  expect(report.globals.length).toBeLessThan(70);
});

test("nothing that can be reached from the global object of a sandbox's process can be changed", () => {
  expect(report.changeable).toEqual([]);
});

test("a process of a sandbox that changes V8's flags ends", async () => {
  const runner =
    'require("node:v8").setFlagsFromString("--max-wasm-functions=1"); require("node:fs").writeSync(1, "changed");';
  expect(await runIn(runner, "ignore")).toBe("");
});

test("the runner is strict, so that call sites do not expose the global object", async () => {
  const { runner, libraries } = await buildLibraries(buildText);
  for (const code of [runner, ...libraries.map((library) => library.code)])
    expect(code).toMatch(/^"use strict";/);
});

test("the process of a sandbox has no environment", () => {
  expect(report.environment).toEqual([]);
});

test("the process of a sandbox runs as nobody instead of root", () => {
  const [user, group, groups] = report.user;
  if (process.getuid?.() !== 0) expect(user).toBe(process.getuid?.());
  else expect([user, group, groups]).toEqual([65_534, 65_534, [65_534]]);
});

test.runIf(existsSync("/usr/bin/prlimit"))(
  "the process of a sandbox cannot allocate memory beyond its limit",
  async () => {
    const runner =
      "let got = 0; const all = []; try { for (;;) { all.push(new ArrayBuffer(64 << 20)); got += 64; if (got > 4096) break; } } catch {} process.stdout.write(String(got));";
    expect(Number(await runIn(runner))).toBeLessThan(1_024);
  },
);
