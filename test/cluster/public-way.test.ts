import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aNamespace, applyObjects, eventually, kubectl, readObject, testCluster } from "./fixture.ts";
import { startOperator } from "./operator.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");

/** A kind as written by a user, in a separate project. */
const kindSource = `import { bindKind, coreKinds, defineKind } from "fairlead";
import type { BoundKind, ChartProps, ResourceOf } from "fairlead";
import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";

export const Greeting = defineKind({
  group: "public-way.example.dev",
  kind: "Greeting",
  plural: "greetings",
  description: "A text that is kept in a ConfigMap.",
  versions: [{
    name: "v1",
    spec: z.object({ text: z.string().min(1).describe("What to say.") }),
    status: z.object({ length: z.int().describe("How long it is.") }),
  }],
});

class GreetingChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ResourceOf<typeof Greeting>>) {
    super(scope, id);
    new ApiObject(this, "text", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: resource.metadata.name },
      data: { text: resource.spec.text },
    });
  }
}

export const kinds: readonly BoundKind<Construct>[] = [
  bindKind({
    definition: Greeting,
    chart: GreetingChart,
    children: [coreKinds.ConfigMap],
    status: ({ spec }) => ({ length: spec?.text?.length ?? 0 }),
  }),
];
`;

const operatorSource = `import { runOperator } from "fairlead";
import { kinds } from "./kind.ts";
process.exitCode = await runOperator({ kinds });
`;

const synthSource = `import { installChart } from "fairlead";
import { App } from "cdk8s";
import { kinds } from "./kind.ts";
const app = new App();
installChart(app, { kinds, values: { image: "greeter:1", name: "greeter" } });
app.synth();
`;

describe("a project of a user", () => {
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "fairlead-public-way-"));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], { cwd: root });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
    await writeFile(
      join(project, "package.json"),
      JSON.stringify({ name: "greeter", type: "module", private: true }),
    );
    const packages = [join(project, filename), "typescript@7", "@types/node@26"];
    // An npm on a busy machine once waited for its sockets for 40 minutes: it is ended and started again in time.
    const flags = ["--no-audit", "--no-fund", "--prefer-offline"];
    const install = () =>
      run("npm", ["install", ...flags, ...packages], {
        cwd: project,
        timeout: 240_000,
        killSignal: "SIGKILL",
      });
    await install().catch(install);
    await writeFile(join(project, "kind.ts"), kindSource);
    await writeFile(join(project, "operator.ts"), operatorSource);
    await writeFile(join(project, "synth.ts"), synthSource);
  });

  afterAll(() => rm(project, { recursive: true, force: true }));

  test("type-checks its own kind with the published types", async () => {
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2024", "--module", "nodenext"];
    const files = ["kind.ts", "operator.ts", "synth.ts"];
    const tsc = join(project, "node_modules/.bin/tsc");
    await run(tsc, [...flags, "--allowImportingTsExtensions", "--types", "node", ...files], { cwd: project });
  });

  test("synthesizes its installation, with the permissions that its kind needs", async () => {
    await run(process.execPath, ["synth.ts"], { cwd: project });

    const manifests = await readFile(join(project, "dist/operator.k8s.yaml"), "utf8");
    expect(manifests).toContain("public-way.example.dev");
    expect(manifests).toContain("configmaps");
    expect(manifests).not.toContain("deployments");
    expect(await readFile(join(project, "dist/crds.k8s.yaml"), "utf8")).toContain(
      "greetings.public-way.example.dev",
    );
  });

  test("runs, and its resources are reconciled", async () => {
    await run(process.execPath, ["synth.ts"], { cwd: project });
    await kubectl(["apply", "--server-side", "-f", join(project, "dist/crds.k8s.yaml")]);
    const namespace = await aNamespace();
    await startOperator({
      program: join(project, "operator.ts"),
      args: [`--namespace=${namespace}`],
      kubeconfigPath: testCluster().kubeconfigPath,
    });
    const greeting = {
      apiVersion: "public-way.example.dev/v1",
      kind: "Greeting",
      metadata: { name: "hello", namespace },
      spec: { text: "Ahoy" },
    };
    await eventually(() => applyObjects(greeting).then(() => true), { what: "the new kind is served" });

    const child = await eventually(() => readObject<{ data: object }>("configmap", "hello", namespace), {
      what: "the ConfigMap is created",
    });
    expect(child.data).toEqual({ text: "Ahoy" });
    const status = async () =>
      (
        await readObject<{ status?: { length?: number } }>(
          "greetings.public-way.example.dev",
          "hello",
          namespace,
        )
      )?.status;
    await eventually(async () => (await status())?.length === 4, {
      what: "the kind's own status is written",
    });
  });

  test("has the command fairlead", async () => {
    const { stdout } = await run(process.execPath, [
      join(project, "node_modules/fairlead/cli/fairlead.js"),
      "--help",
    ]);
    expect(stdout).toContain("render");
  });
});
