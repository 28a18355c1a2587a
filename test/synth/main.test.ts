import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { kinds } from "../../charts/bindings.ts";

const main = resolve(import.meta.dirname, "../../synth/main.ts");

async function synthesizeFrom(workingDirectory: string): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-synth-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await promisify(execFile)(process.execPath, [main], {
    cwd: workingDirectory,
    env: { CDK8S_OUTDIR: folder },
  });
  const files = (await readdir(folder)).toSorted();
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), "utf8")] as const)),
  );
}

test("cdk8s synth writes CRDs and operator, byte for byte the same wherever it runs", async () => {
  const files = await synthesizeFrom(resolve(main, "../.."));
  expect([...files.keys()]).toEqual(["crds.k8s.yaml", "operator.k8s.yaml"]);
  expect(await synthesizeFrom(tmpdir())).toEqual(files);
  const crds = parseAllDocuments(files.get("crds.k8s.yaml") ?? "").map((document) =>
    document.getIn(["metadata", "name"]),
  );
  expect(crds).toEqual(kinds.map(({ definition: { plural, group } }) => `${plural}.${group}`));
});
