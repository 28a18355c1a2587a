import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../cli/image/bundle-program.ts";

test("a package that a bundle loads late is what it is without one: a watch of a server that has no HTTP/2", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = createServer((request, response) => void response.end(`${request.method} ${request.url}`));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const outfile = join(folder, "program.mjs");
  await bundleProgram({ entry: resolve(import.meta.dirname, "../../fakes/watch-program.ts"), outfile });

  const { port } = server.address() as AddressInfo;
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, `http://127.0.0.1:${port}`]);

  expect(stdout).toBe("GET /api/v1/pods?watch=true");
});
