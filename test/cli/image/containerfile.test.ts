import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleProgram } from "../../../cli/image/bundle-program.ts";
import { nodeEnvironment, nodeFlags } from "../../../cli/image/node-flags.ts";
import { addZones } from "../../../cli/image/write-image-files.ts";
import { launcherFlags } from "../../../cli/launcher/build-launcher.ts";
import { restrictedPod } from "../../../constructs/pod-defaults.ts";
import { PUBLISH_USER } from "../../../constructs/publish-zone.ts";
import { SOURCE_USER } from "../../../constructs/source-zone.ts";
import { launcherFile } from "../../../operator/sandbox/find-launcher.ts";

const root = resolve(import.meta.dirname, "../../..");
const lines = readFileSync(join(root, "Containerfile"), "utf8").split("\n");
const copied = lines.flatMap((line) => {
  const [, sources = ""] = /^COPY (?!--from)(.*) \S+$/.exec(line) ?? [];
  return sources.split(" ").filter((source) => source !== "");
});

let folder = "";
let inputs: readonly string[] = [];
let zones: Awaited<ReturnType<typeof addZones>>;

// Not within the test: on a busy machine a build takes long.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  const outfile = join(folder, "fairlead.mjs");
  inputs = await bundleProgram({ entry: join(root, "cli/image/main.ts"), outfile });
  zones = await addZones(folder);
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the image's build contains every file from which its program is bundled", async () => {
  const { sandbox, source, publish } = zones;
  const own = [...inputs, ...sandbox, ...source, ...publish].filter(
    (path) => !path.includes("node_modules/") && !path.startsWith("lean-"),
  );
  expect(own.length).toBeGreaterThan(100);
  expect(own.filter((path) => !copied.some((source) => path.startsWith(`${source}/`)))).toEqual([]);
  expect(copied.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  // Of a package that cdk8s also contains, in the version of our dependency, one copy is enough.
  const copies = ["node_modules/yaml", "node_modules/cdk8s/node_modules/yaml"];
  const versions = copies.map(
    (path) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")).version,
  );
  const bundled = inputs.filter((path) => path.endsWith("node_modules/yaml/dist/index.js"));
  expect(bundled).toHaveLength(new Set(versions).size);
  const files = await readdir(folder);
  expect(files.filter((name) => !/^part-[A-Z0-9]+\.mjs$/.test(name))).toEqual([
    "fairlead.mjs",
    "node_modules",
    "program-libraries.json",
    "publish-worker.mjs",
    "sandbox-worker.mjs",
    "source-worker.mjs",
  ]);
  // The zones contain neither the API client nor the kinds; the source zone parses no YAML and runs no program.
  const forbidden = /@kubernetes\/client-node|undici|^charts\/|operator\/cluster\//;
  expect([...sandbox, ...source, ...publish].filter((path) => forbidden.test(path))).toEqual([]);
  expect(publish.filter((path) => /esbuild|cdk8s|operator\/(release|render)\//.test(path))).toEqual([]);
  // The operator itself runs no git.
  expect(
    inputs.filter((path) => /simple-git|operator\/git\/(git-process|credentials)\.ts/.test(path)),
  ).toEqual([]);
  expect(source.filter((path) => /yaml|esbuild|cdk8s|operator\/release\/render\//.test(path))).toEqual([]);
});

test("the image's launcher is built as in the repository, and is beside the source that searches for it", () => {
  const flags = launcherFlags.map((flag) => (flag.includes(" ") ? `"${flag}"` : flag)).join(" ");
  expect(lines).toContain(`RUN CGO_ENABLED=0 go build ${flags} -o /${launcherFile} .`);
  expect(lines).toContain(`COPY --from=launcher /${launcherFile} ./operator/sandbox/`);
});

test("the image runs as the user in the Deployment, which has a name for ssh", () => {
  const { runAsUser, runAsGroup } = restrictedPod;
  expect(lines).toContain(`USER ${runAsUser}:${runAsGroup}`);
  for (const user of [runAsUser, SOURCE_USER, PUBLISH_USER])
    expect(lines.join("\n")).toContain(`useradd --uid ${user} `);
});

test("the image and the command run Node with the settings that keep the operator's memory small", () => {
  const variables = lines.find((line) => line.startsWith("ENV "))?.split(" ");
  expect(variables).toEqual(
    expect.arrayContaining(Object.entries(nodeEnvironment).map((one) => one.join("="))),
  );
  const words = ["node", ...nodeFlags, "/app/fairlead.mjs"].map((word) => JSON.stringify(word)).join(", ");
  expect(lines).toContain(`ENTRYPOINT [${words}]`);
  const [firstLine] = readFileSync(join(root, "cli/fairlead.js"), "utf8").split("\n");
  expect(firstLine).toBe(`#!/usr/bin/env -S node ${nodeFlags.join(" ")}`);
});
