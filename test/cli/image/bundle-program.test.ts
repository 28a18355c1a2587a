import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../cli/image/bundle-program.ts";

let folder = "";
const outfile = (name = "program") => join(folder, name, "program.mjs");
const bundle = (program: string, name?: string) =>
  bundleProgram({
    entry: resolve(import.meta.dirname, `../../fakes/${program}.ts`),
    outfile: outfile(name),
  });
let inputs: readonly string[] = [];

// Not within the test: on a busy machine a build takes long.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  await bundle("watch-program");
  inputs = await bundle("yaml-program", "yaml");
  await bundle("own-operator-program", "own");
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a package that a bundle loads later works as without a bundle: a watch of a server without HTTP/2", async () => {
  const server = createServer((request, response) => void response.end(`${request.method} ${request.url}`));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const { stdout } = await promisify(execFile)(process.execPath, [outfile(), `http://127.0.0.1:${port}`]);

  expect(stdout).toBe("GET /api/v1/pods?watch=true");
});

test("a bundle has one yaml, which cdk8s and kubeconfigs use, and its undici has one parser", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [outfile("yaml")]);

  expect(stdout).toBe("a: 1\nConfig\n");
  expect(
    inputs.filter((path) => path.endsWith("/yaml/package.json") || /yaml\/dist\/index\.js$/.test(path)),
  ).toHaveLength(1);
  expect(inputs.filter((path) => path.includes("undici/lib/milo/"))).toEqual([]);
});

test("a bundle of a user's operator has no charts that install an operator, and no kinds of Pipelines", async () => {
  const own = join(folder, "own");
  const files = (await readdir(own)).filter((name) => name.endsWith(".mjs"));
  const text = (await Promise.all(files.map((name) => readFile(join(own, name), "utf8")))).join("\n");

  expect(text.includes('plural:"releases"')).toBe(true);
  expect(text.includes('plural:"approvals"')).toBe(false);
});
