import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { bundleProgram } from "../../cli/image/bundle-program.ts";
import { addZones } from "../../cli/image/write-image-files.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { readAuditLog } from "./audit-log.ts";
import { eventually } from "./eventually.ts";
import { anEmptyCluster } from "./installation.ts";
import { aFolder } from "./operator.ts";
import { aRepository } from "./repository.ts";

const cluster = anEmptyCluster();
const { kubectl, install } = cluster;
const [name, namespace] = ["fairlead", "fairlead-system"];
const user = `system:serviceaccount:${namespace}:${name}`;

/** A kubeconfig with the mounted token of a pod of the operator: of its ServiceAccount, for this pod. */
async function kubeconfigOf(pod: string): Promise<string> {
  const bound = ["--bound-object-kind=Pod", `--bound-object-name=${pod}`];
  const token = (await kubectl(["create", "token", name, "-n", namespace, ...bound])).trim();
  const config = parse(await readFile(cluster.local.operatorKubeconfigPath, "utf8"));
  config.users[0].user = { token };
  const path = join(await aFolder(), "kubeconfig");
  await writeFile(path, stringify(config), { mode: 0o600 });
  return path;
}

/** The arguments of a container in the Deployment, with its volumes in a folder. */
async function argumentsOf(container: "operator" | "publish", folder: string): Promise<readonly string[]> {
  const path = `jsonpath={.spec.template.spec.containers[?(@.name=="${container}")].args}`;
  const words = JSON.parse(
    await kubectl(["get", "deployment", name, "-n", namespace, "-o", path]),
  ) as string[];
  return words.map((word) => word.replace(/=(?=\/(?:run|var)\/)/, `=${folder}`));
}

/** The publish zone of the image's program, as in its container. */
async function startPublishZone(program: string, volumes: string): Promise<void> {
  await mkdir(join(volumes, "run/fairlead/zones/publish"), { recursive: true });
  const zone = spawn(process.execPath, [program, ...(await argumentsOf("publish", volumes))], {
    env: { PATH: process.env["PATH"] },
    stdio: "ignore",
  });
  const ended = once(zone, "exit");
  onTestFinished(async () => {
    zone.kill("SIGTERM");
    await ended;
  });
}

const ruleTexts = (rules: readonly Rule[]): string[] =>
  rules
    .flatMap(({ apiGroups = [], resources = [], resourceNames = [""], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          resourceNames.map((one) => `${group}/${resource} ${one}: ${verbs.toSorted().join(" ")}`),
        ),
      ),
    )
    .toSorted();

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

test("the image's program runs an installed operator, with only its own token and permissions", async () => {
  const repository = aRepository();
  await install({
    set: [`repository.url=file://${repository.url}`, "samples.enabled=true", "releases.enabled=false"],
  });
  const pods = await kubectl(["get", "pods", "-n", namespace, "-o", "jsonpath={.items[*].metadata.name}"]);
  const [pod = ""] = pods.split(" ");
  const kubeconfig = await kubeconfigOf(pod);

  // It may only read its own folder, neither this repository nor its packages, and starts no process.
  const [folder, temporary] = [await aFolder(), await aFolder()];
  await bundleProgram({
    entry: join(import.meta.dirname, "../../cli/image/main.ts"),
    outfile: join(folder, "fairlead.mjs"),
  });
  await addZones(folder);
  await startPublishZone(join(folder, "fairlead.mjs"), temporary);
  await copyFile(kubeconfig, join(folder, "kubeconfig"));
  const permissions = [
    "--permission",
    "--allow-net",
    ...[folder, temporary].map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${temporary}`,
  ];
  const off = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
  const child = spawn(
    process.execPath,
    [
      ...permissions,
      join(folder, "fairlead.mjs"),
      ...(await argumentsOf("operator", temporary)),
      "--kubeconfig=kubeconfig",
      ...off,
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        HOME: temporary,
        TMPDIR: temporary,
        POD_NAME: pod,
        // Shows that it runs in a cluster, and that its name is the pod's.
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += chunk));
  const ended = once(child, "exit");
  onTestFinished(async ({ task }) => {
    child.kill("SIGKILL");
    await ended;
    if (task.result?.state === "fail") process.stderr.write(log);
  });

  const metadata = { name: "greeting", namespace: "default" };
  const echo = { apiVersion: "mmontes.io/v1alpha1", kind: "Echo", metadata, spec: { message: "hello" } };
  await kubectl("apply --server-side -f -", { input: echo });
  await eventually(
    async () => {
      const conditions = await kubectl(["get", "echo", "greeting", "-o", "jsonpath={.status.conditions}"]);
      return (
        JSON.parse(conditions === "" ? "[]" : conditions).filter(
          ({ type, status }: Record<string, string>) =>
            /^(Ready|Published)$/.test(type ?? "") && status === "True",
        ).length === 2
      );
    },
    { what: "the Echo is Ready and Published" },
  );
  expect(repository.files().join()).toContain("default/echos.mmontes.io/greeting/job-greeting.yaml");
  // A manually deleted object is recreated, with an event.
  await kubectl("delete job greeting --wait=false");
  await eventually(
    async () => (await kubectl("get events -o jsonpath={.items[*].reason}")).includes("Restored"),
    { what: "an event reports the recreated Job" },
  );
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);

  const events = await readAuditLog(cluster.local.auditLogPath, { user });
  expect(events.length).toBeGreaterThan(10);
  const forbidden = events.filter(
    ({ annotations = {} }) => annotations["authorization.k8s.io/decision"] === "forbid",
  );
  expect(forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
});

test("the ServiceAccount has the permissions of the rendered roles, and no others", async () => {
  await install({ set: ["repository.url=file:///rendered.git"], wait: false });
  const of = (kind: string, roleName: string, place: readonly string[] = []) =>
    kubectl(["get", kind, roleName, ...place, "-o", "json"]).then(
      (text) => (JSON.parse(text) as KubernetesObject)["rules"] as readonly Rule[],
    );
  const rendered = [
    ...(await of("clusterrole", name)),
    ...(await of("role", `${name}-leader-election`, ["-n", namespace])),
  ];
  const mayDo = async (account: string): Promise<readonly string[]> => {
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace },
    };
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
    const as = [
      `--as=system:serviceaccount:${namespace}:${account}`,
      ...groups.map((group) => `--as-group=${group}`),
    ];
    const answer = await kubectl(["create", "--validate=false", "-f", "-", "-o", "json", ...as], {
      input: review,
    });
    const { status } = JSON.parse(answer) as { readonly status: { readonly resourceRules: readonly Rule[] } };
    return ruleTexts(status.resourceRules);
  };
  // Requests that every ServiceAccount may send, such as a self review.
  const common = new Set(await mayDo("default"));
  const own = (await mayDo(name)).filter((rule) => !common.has(rule));
  expect(own).toEqual(ruleTexts(rendered));
});
