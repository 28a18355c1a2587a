import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { launchArguments } from "../../../operator/sandbox/launch-arguments.ts";
import { eventually } from "../../../test/cluster/eventually.ts";
import { execIn } from "../exec.ts";
import { OPERATOR, podsOf } from "../operator.ts";
import type { Stack } from "../stack.ts";

const { name, namespace } = OPERATOR;
const token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const node = "/usr/local/bin/node";
const loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].filter(existsSync);

/** Attempts of code that has escaped all restrictions inside its process, in the operator's pod, as the operator's own user. */
const attempts: Readonly<Record<string, string>> = {
  "read the operator's token": `fs.readFileSync("${token}")`,
  "read the operator's environment": 'fs.readFileSync("/proc/1/environ")',
  "list the operator's files": 'fs.readdirSync("/tmp")',
  "write a file": 'fs.writeFileSync("/tmp/written", "x")',
  "signal the operator": "process.kill(1, 0)",
  "start a process": 'child.execFileSync("/bin/sh", ["-c", ":"])',
};

const program = `const fs = require("fs"), child = require("child_process"), refused = {};
  ${Object.entries(attempts)
    .map(([what, code]) => `try { ${code}; } catch (error) { refused["${what}"] = error.code; }`)
    .join("\n")}
  const end = (error) => { if (error) refused["connect to the API server"] = error.code; fs.writeSync(1, JSON.stringify(refused)); process.exit(); };
  const [host, port] = process.argv.slice(1);
  require("net").connect(port, host).on("connect", () => end()).on("error", end);`;

/** Tests the kernel's restrictions of programs on a real node. */
export function isolationTests(stack: () => Stack): void {
  test("the operator reports that the kernel isolates programs", async () => {
    await eventually(
      async () => {
        const logs = await stack().kubectl(["logs", `deployment/${name}`, "-n", namespace]);
        return logs.includes("The kernel isolates programs of Releases");
      },
      { what: "the operator has logged its isolation layers" },
    );
  });

  test("the source zone isolates git processes, and has neither the token nor the operator's folders", async () => {
    const [pod] = await podsOf(stack(), "app.kubernetes.io/name=fairlead", namespace);
    const at = { pod: pod?.name ?? "", namespace, container: "source" };
    await eventually(
      async () => {
        const logs = await stack().kubectl(["logs", at.pod, "-n", namespace, "-c", at.container]);
        return logs.includes("The kernel isolates git processes");
      },
      { what: "the source zone has logged its isolation layers" },
    );
    const code = `const { existsSync } = require("fs"); console.log(JSON.stringify([process.getuid(),
      ...["${token}", "/run/fairlead/zones/source/source.sock", "/run/fairlead/zones/sandbox"].map((path) => existsSync(path))]))`;
    const found = await execIn(stack(), at, [node, "-e", code]);
    expect(JSON.parse(found)).toEqual([65_531, false, true, false]);
  });

  test("only the publish zone has the credential of the repository, and it does not have the token", async () => {
    const [pod] = await podsOf(stack(), "app.kubernetes.io/name=fairlead", namespace);
    const paths = [
      token,
      "/etc/fairlead/repository",
      "/var/cache/fairlead",
      "/run/fairlead/zones/publish/publish.sock",
    ];
    const code = `const { existsSync } = require("fs"); console.log(JSON.stringify([process.getuid(),
      ...${JSON.stringify([...paths, "/run/fairlead/zones/sandbox"])}.map((path) => existsSync(path))]))`;
    const foundIn = async (container: string): Promise<unknown> => {
      const at = { pod: pod?.name ?? "", namespace, container };
      return JSON.parse(await execIn(stack(), at, [node, "-e", code]));
    };
    expect(await foundIn("publish")).toEqual([65_529, false, true, true, true, false]);
    expect(await foundIn("operator")).toEqual([65_532, true, false, false, true, true]);
    expect(await foundIn("source")).toEqual([65_531, false, false, true, false, false]);
  });

  test("a plain Node in the sandbox zone's container finds no secrets, even without isolation", async () => {
    const [pod] = await podsOf(stack(), "app.kubernetes.io/name=fairlead", namespace);
    const at = { pod: pod?.name ?? "", namespace, container: "sandbox" };
    const code = `const fs = require("fs"); const write = (path) => { try { fs.writeFileSync(path, ""); return "written"; } catch (error) { return error.code; } };
      const there = ["${token}", "/run/fairlead/zones/source", "/var/cache/fairlead"].filter((path) => fs.existsSync(path));
      console.log(JSON.stringify([process.getuid(), there, write("/x"), write("/tmp/x"), write("/app/x")]))`;
    const found = await execIn(stack(), at, [node, "-e", code]);
    expect(JSON.parse(found)).toEqual([65_533, [], "EROFS", "EROFS", "EROFS"]);
  });

  test("an isolated plain Node cannot access the operator's pod, and one without isolation can", async () => {
    const [pod] = await podsOf(stack(), "app.kubernetes.io/name=fairlead", namespace);
    const run = (command: readonly string[]): Promise<string> =>
      execIn(stack(), { pod: pod?.name ?? "", namespace }, command);
    const variables = ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"];
    const address = await run([
      node,
      "-p",
      `${JSON.stringify(variables)}.map((one) => process.env[one]).join(" ")`,
    ]);
    const command = [node, "-e", program, ...address.trim().split(" ")];
    expect(JSON.parse(await run(command))).toEqual({});

    const rules = {
      read: ["/lib"],
      execute: [node, ...loaders],
      seccomp: "program",
      environment: { OPENSSL_CONF: "" },
      require: ["no-new-privileges", "files", "seccomp"],
    } as const;
    const refused = await run(["/app/fairlead-launch", ...launchArguments(rules, command)]);
    const codes = [...Object.keys(attempts), "connect to the API server"].map((what) => [
      what,
      expect.stringMatching(/^(EACCES|EPERM)$/),
    ]);
    expect(JSON.parse(refused)).toEqual(Object.fromEntries(codes));
  });
}
