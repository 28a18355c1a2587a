import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

test("cdk8s synth does not check for a newer version, and mentions none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-quiet-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // `npm ci` has done it; if node_modules is older than the script, this does.
  await run("npm", ["run", "prepare"], { cwd: root });
  const { CDK8S_CHECK_UPGRADE: _, ...rest } = process.env;
  const nowhere = "http://127.0.0.1:1";
  const path = `${join(root, "node_modules/.bin")}${delimiter}${rest["PATH"]}`;
  // Without a home no earlier response is stored.
  const env = { ...rest, PATH: path, HOME: folder, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere };
  const { stdout, stderr } = await run("cdk8s", ["synth", "--output", folder], { cwd: root, env });
  expect(stderr.replace("Synthesizing application\n", "")).toBe("");
  expect(stdout).toContain("crds.k8s.yaml");
});
