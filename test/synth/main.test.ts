import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { kinds } from "../../charts/bindings.ts";
import { groupKindOf } from "../../crds/object.ts";

const main = resolve(import.meta.dirname, "../../synth/main.ts");

async function synthesizeFrom(
  workingDirectory: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-synth-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await promisify(execFile)(process.execPath, [main], {
    cwd: workingDirectory,
    env: { CDK8S_OUTDIR: folder, ...environment },
  });
  const files = (await readdir(folder)).toSorted();
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), "utf8")] as const)),
  );
}

test("cdk8s synth writes CRDs and operator, with identical bytes on every machine", async () => {
  const files = await synthesizeFrom(resolve(main, "../.."));
  expect([...files.keys()]).toEqual(["crds.k8s.yaml", "operator.k8s.yaml"]);
  expect(await synthesizeFrom(tmpdir())).toEqual(files);
  const crds = parseAllDocuments(files.get("crds.k8s.yaml") ?? "").map((document) =>
    document.getIn(["metadata", "name"]),
  );
  expect(crds).toEqual([
    "releases.fairlead.dev",
    "releasepolicies.fairlead.dev",
    "approvals.fairlead.dev",
    "freezes.fairlead.dev",
    "pipelines.fairlead.dev",
    "promotions.fairlead.dev",
  ]);
});

test("cdk8s synth writes the CRDs of shipped kinds if the values enable them", async () => {
  const files = await synthesizeFrom(await aFolderWith("samples: { enabled: true }\n"));
  const crds = files.get("crds.k8s.yaml") ?? "";
  for (const { definition } of kinds) expect(crds).toContain(`name: ${groupKindOf(definition)}\n`);
});

async function aFolderWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-values-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "values.yaml"), text);
  return folder;
}

test("cdk8s synth reads its values from the given file, or from values.yaml in the working directory", async () => {
  const folder = await aFolderWith("name: lead\nnamespace: ops\nha: false\n");
  const named = await synthesizeFrom(tmpdir(), { FAIRLEAD_VALUES: join(folder, "values.yaml") });
  expect(named.get("operator.k8s.yaml")).toContain("type: Recreate");
  expect(await synthesizeFrom(folder)).toEqual(named);
});

test.for([
  [
    "replicas: two\nrepository: { url: 3 }\n",
    /: replicas: expected a number, found "two"\n.*: repository\.url: expected a text\n$/,
  ],
  ["a: [\n", /^Cannot read ".*values\.yaml": /],
] as const)("cdk8s synth reports the problem of %j, and writes nothing", async ([text, complaint]) => {
  const folder = await aFolderWith(text);
  const run = promisify(execFile)(process.execPath, [main], {
    cwd: folder,
    env: { CDK8S_OUTDIR: folder, FAIRLEAD_VALUES: join(folder, "values.yaml") },
  });
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(complaint) });
  expect(await readdir(folder)).toEqual(["values.yaml"]);
});
