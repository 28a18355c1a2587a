import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { down, up } from "../../cli/local-cluster/named-cluster.ts";
import { eventually } from "./eventually.ts";
import { kubectlFor } from "./kubectl.ts";
import { aFolder } from "./operator.ts";

const program = join(import.meta.dirname, "../../cli/fairlead.js");
const name = "beside";

async function aSource(): Promise<string> {
  const folder = await aFolder();
  const git = (...args: readonly string[]) => promisify(execFile)("git", ["-C", folder, ...args]);
  await git("init", "--quiet", "--initial-branch=main");
  const metadata = { name: "web" };
  await writeFile(
    join(folder, "all.json"),
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }),
  );
  await git("add", "--all");
  await git("-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "--message=One");
  return folder;
}

test("the operator runs beside a local cluster with the permissions of its installation", async () => {
  const env = { ...process.env, FAIRLEAD_STATE: await aFolder() };
  onTestFinished(async () => void (await down({ name, env })));
  const { cluster } = await up({ name, env, fsync: false });
  const { kubectlPath = "kubectl" } = cluster;
  const kubectl = kubectlFor({ ...cluster, kubectlPath });
  const fairlead = [program, "install", `--kubeconfig=${cluster.kubeconfigPath}`];
  const { stdout } = await promisify(execFile)(process.execPath, fairlead);
  expect(stdout).toContain(
    "Run the operator as a process instead, until Ctrl-C: npx fairlead cluster operator\n",
  );

  const operator = spawn(process.execPath, [program, "cluster", "operator", `--name=${name}`], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [operator.stdout, operator.stderr]) stream.on("data", (chunk) => (log += chunk));
  const ended = once(operator, "exit");
  onTestFinished(async ({ task }) => {
    operator.kill("SIGTERM");
    await ended;
    if (task.result?.state === "fail") process.stderr.write(log);
  });

  await kubectl("create serviceaccount deployer -n default");
  await kubectl(
    "create rolebinding deployer -n default --clusterrole=edit --serviceaccount=default:deployer",
  );
  const releaseOf = (release: string, target: object) => ({
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { name: release, namespace: "default" },
    spec: { source: { url: `file://${source}` }, render: { manifests: {} }, target },
  });
  const source = await aSource();
  const releases = [releaseOf("web", { serviceAccountName: "deployer" }), releaseOf("nameless", {})];
  await kubectl("apply --server-side -f -", { input: releases });
  await kubectl("wait release/web -n default --for=condition=Ready --timeout=180s");
  expect(await kubectl("get configmap web -n default -o name")).toBe("configmap/web\n");
  await eventually(
    async () => expect(await kubectl("get release nameless -n default -o yaml")).toContain("SpecInvalid"),
    { what: "a Release without an account is refused" },
  );

  // Its pod is replaced by one with other options.
  await promisify(execFile)(process.execPath, [...fairlead, "--set=logLevel=debug"]);
  await eventually(() => (log.match(/Became leader/g) ?? []).length === 2, {
    what: "the operator runs instead of a new pod",
  });
  operator.kill("SIGINT");
  expect(await ended).toEqual([0, null]);

  // The command ends with its operator, and says so.
  const again = spawn(process.execPath, [program, "cluster", "operator", `--name=${name}`], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [again.stdout, again.stderr]) stream.on("data", (chunk) => (said += chunk));
  const endedAgain = once(again, "exit");
  onTestFinished(() => void again.kill("SIGTERM"));
  await eventually(() => said.includes("Became leader"), { what: "it leads again" });
  const { stdout: children } = await promisify(execFile)("pgrep", ["-P", String(again.pid)]);
  for (const pid of children.trim().split("\n")) process.kill(Number(pid), "SIGKILL");
  expect(await endedAgain).toEqual([1, null]);
  expect(said).toContain("fairlead: the operator ended");
});
