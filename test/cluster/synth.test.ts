import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../crds/object.ts";
import { isLong } from "../long.ts";
import { kubectl } from "./fixture.ts";
import { aFolder } from "./operator.ts";

const root = resolve(import.meta.dirname, "../..");

/** Runs `npm run synth`, without a network, in a separate folder. */
async function synth(): Promise<ReadonlyMap<string, string>> {
  const folder = await aFolder();
  const nowhere = "http://127.0.0.1:1";
  await promisify(execFile)("npm", ["run", "synth", "--", "--output", folder], {
    cwd: root,
    env: { ...process.env, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere },
  });
  const files = (await readdir(folder)).toSorted();
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), "utf8")] as const)),
  );
}

test("npm run synth writes objects that the API server accepts, the same each time", async () => {
  const files = await synth();
  expect([...files.keys()]).toEqual(["crds.k8s.yaml", "operator.k8s.yaml"]);
  if (isLong) expect(await synth()).toEqual(files);

  const objectsIn = (file: string) =>
    parseAllDocuments(files.get(file) ?? "").map((document) => document.toJS() as KubernetesObject);
  const apply = (objects: readonly object[], dryRun: "server" | "none") =>
    kubectl(`apply --server-side --force-conflicts --field-manager=install --dry-run=${dryRun} -f -`, {
      input: objects,
    });
  await apply(objectsIn("crds.k8s.yaml"), "none");
  // A dry run does not find a namespace that was only created in another dry run.
  const operator = objectsIn("operator.k8s.yaml");
  await apply(
    operator.filter(({ kind }) => kind === "Namespace"),
    "none",
  );
  const answer = await apply(operator, "server");
  expect(answer.trimEnd().split("\n")).toHaveLength(operator.length);
  expect(answer).toContain("deployment.apps/fairlead serverside-applied (server dry run)");
});
