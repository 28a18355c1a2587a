import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parse, stringify } from "yaml";
import type { TestCluster } from "../../test/cluster/global-setup.ts";
import { recordKeysIn } from "../../test/cluster/install.ts";
import { type Kubectl, kubectlFor } from "../../test/cluster/kubectl.ts";
import { RELEASE_RIGHTS } from "../../test/cluster/shared-kinds.ts";
import { FakeGitRemote } from "../../test/fakes/git-remote.ts";
import type { Parties } from "./find-violations.ts";
import { type Allowance, policyFor } from "./policies.ts";
import { Tenant } from "./tenant.ts";

/** Two tenants, and an operator for both that requires a ServiceAccount and publishes. */
export interface TenantsFixture {
  readonly kubectl: Kubectl;
  readonly cluster: TestCluster;
  /** The tenant that is attacked. */
  readonly victim: Tenant;
  /** The tenant that takes random actions. */
  readonly attacker: Tenant;
  /** For another process or thread that acts as the attacker. */
  readonly attackerKubeconfigPath: string;
  readonly parties: Parties;
  /** The repository to which the operator publishes. */
  readonly published: FakeGitRemote;
  /** Lines of the operator's log. */
  readonly log: readonly string[];
  /** Changes the policy of the attacker; undefined: it has none. */
  allow(allowance: Allowance | undefined): Promise<void>;
  close(): Promise<void>;
}

const rbac = "rbac.authorization.k8s.io";
const all = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const deploy = ["get", "create", "patch", "delete"];

/** The permissions of a tenant, and the accounts that its Releases may name: all in its own namespace. */
function rightsIn(namespace: string): readonly object[] {
  const objects = { apiGroups: [""], resources: ["configmaps", "secrets"] };
  // No permission for `releases/status`, or outside of the namespace.
  const releases = { apiGroups: ["fairlead.dev"], resources: ["releases"] };
  const accounts = {
    tenant: [
      { ...objects, verbs: all },
      { ...releases, verbs: all },
    ],
    deployer: [
      { ...objects, verbs: deploy },
      { ...releases, verbs: deploy },
    ],
    reader: [{ ...objects, verbs: ["get"] }],
  };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...Object.entries(accounts).flatMap(([name, rules]) => {
      const metadata = { name, namespace };
      return [
        { apiVersion: "v1", kind: "ServiceAccount", metadata },
        { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
        {
          apiVersion: `${rbac}/v1`,
          kind: "RoleBinding",
          metadata,
          roleRef: { apiGroup: rbac, kind: "Role", name },
          subjects: [{ kind: "ServiceAccount", name, namespace }],
        },
      ];
    }),
  ];
}

/**
 * The operator has all rights of an installation that does not require accounts, so that only its own rules prevent their use.
 */
function operatorIn(namespace: string): readonly object[] {
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "operator", namespace } },
    ...recordKeysIn(namespace),
    ...[RELEASE_RIGHTS, `${RELEASE_RIGHTS}-leases`].map((role) => ({
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: `${namespace}-${role}` },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name: "operator", namespace }],
    })),
  ];
}

/**
 * Creates a fixture. The seed determines only the names, and so the alphabetical order of the tenants.
 *
 * @param operatorArguments Additional flags of the operator.
 */
export async function createTenantsFixture(
  cluster: TestCluster,
  seed: number,
  operatorArguments: readonly string[] = [],
): Promise<TenantsFixture> {
  const id = `tenants-${seed}-${crypto.randomUUID().slice(0, 6)}`;
  const [first, second, home] = [`${id}-a`, `${id}-b`, `${id}-home`];
  const [victimName, attackerName] = seed % 2 === 0 ? [first, second] : [second, first];
  const folder = await mkdtemp(join(tmpdir(), "fairlead-tenants-"));
  const kubectl = kubectlFor(cluster);
  const objects = [...rightsIn(first), ...rightsIn(second), ...operatorIn(home)];
  await kubectl("apply --server-side -f -", { input: objects });
  const kubeconfigOf = async (namespace: string, account: string): Promise<string> => {
    const token = await kubectl(["create", "token", account, "-n", namespace, "--duration=12h"]);
    const config = parse(await readFile(cluster.operatorKubeconfigPath, "utf8"));
    config.users[0].user = { token: token.trim() };
    const path = join(folder, `${namespace}-${account}`);
    await writeFile(path, stringify(config), { mode: 0o600 });
    return path;
  };
  const victim = await Tenant.connect(victimName, await kubeconfigOf(victimName, "tenant"));
  const attackerKubeconfigPath = await kubeconfigOf(attackerName, "tenant");
  const attacker = await Tenant.connect(attackerName, attackerKubeconfigPath);
  const published = new FakeGitRemote();
  const victims = { publishes: true, quotas: { programSecondsPerHour: 3_600 } };
  await kubectl("apply --server-side -f -", { input: [policyFor(victimName, victims)] });
  const log: string[] = [];
  const operator = startOperator(
    [
      `--kubeconfig=${await kubeconfigOf(home, "operator")}`,
      ...[first, second].map((name) => `--namespace=${name}`),
      `--leader-elect-namespace=${home}`,
      "--releases",
      "--release-require-service-account",
      "--release-file-remotes",
      `--release-cache=${join(folder, "releases")}`,
      `--repository=file://${published.path}`,
      `--repository-cache=${join(folder, "published")}`,
      ...operatorArguments,
    ],
    log,
  );
  return {
    ...{ kubectl, cluster, victim, attacker, attackerKubeconfigPath, published, log },
    parties: {
      operator: `system:serviceaccount:${home}:operator`,
      home,
      victim: victimName,
      attacker: attackerName,
    },
    async allow(allowance) {
      if (allowance === undefined) await kubectl(["delete", "relpol", attackerName, "--ignore-not-found"]);
      else await kubectl("apply --server-side -f -", { input: [policyFor(attackerName, allowance)] });
    },
    async close() {
      operator.kill("SIGKILL");
      if (operator.exitCode === null && operator.signalCode === null) await once(operator, "exit");
      await Promise.all([victim.close(), attacker.close()]);
      published[Symbol.dispose]();
      const bindings = objects.filter(
        (object) => "roleRef" in object && !JSON.stringify(object).includes('"RoleBinding"'),
      );
      await kubectl("delete --ignore-not-found --wait=false -f -", { input: bindings });
      await kubectl(["delete", "relpol", "--ignore-not-found", victimName, attackerName]);
      await kubectl(["delete", "namespace", first, second, home, "--wait=false"]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startOperator(args: readonly string[], log: string[]): ChildProcess {
  const program = join(import.meta.dirname, "..", "..", "cli/fairlead.js");
  const off = ["--metrics-bind-address=0", "--health-probe-bind-address=0", "--log-format=json"];
  const child = spawn(process.execPath, [program, "run", ...off, ...args], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "fairlead-test-compile-cache") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => void log.push(line));
  return child;
}
