import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../cli/image/bundle-program.ts";

let folder = "";
const outfile = () => join(folder, "program.mjs");

// Not within the test: on a busy machine a build takes long.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  const entry = resolve(import.meta.dirname, "../../fakes/watch-program.ts");
  await bundleProgram({ entry, outfile: outfile() });
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
  const entry = resolve(import.meta.dirname, "../../fakes/yaml-program.ts");
  const yamlProgram = join(folder, "yaml-program.mjs");
  const inputs = await bundleProgram({ entry, outfile: yamlProgram });
  const { stdout } = await promisify(execFile)(process.execPath, [yamlProgram]);

  expect(stdout).toBe("a: 1\nConfig\n");
  expect(
    inputs.filter((path) => path.endsWith("/yaml/package.json") || /yaml\/dist\/index\.js$/.test(path)),
  ).toHaveLength(1);
  expect(inputs.filter((path) => path.includes("undici/lib/milo/"))).toEqual([]);
});
