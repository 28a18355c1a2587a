import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import type { LocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { type AuditEvent, readAuditLog } from "./audit-log.ts";
import { type DirectApi, directApi } from "./direct.ts";
import { aSeparateCluster, eventually } from "./fixture.ts";
import { hasCondition, type SeenResource } from "./harness.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { aFolder, type RunningOperator, startOperator } from "./operator.ts";
import { metricsArgument } from "./reconciled.ts";

const operatorNamespace = "fairlead-system";
const account = "fairlead";

interface SeenObject extends KubernetesObject {
  readonly metadata: SeenResource["metadata"] & { readonly creationTimestamp: string };
  readonly spec?: unknown;
  readonly data?: unknown;
}

/**
 * A separate cluster in which several builds are installed one after the other. Each runs with the permissions of its
 * installation.
 */
export class UpgradeFixture {
  readonly api: DirectApi;
  readonly #kubectl: Kubectl;
  readonly #cluster: LocalCluster;

  private constructor(cluster: LocalCluster) {
    const { kubectlPath = "kubectl" } = cluster;
    this.#cluster = cluster;
    this.#kubectl = kubectlFor({ ...cluster, kubectlPath });
    this.api = directApi(cluster.kubeconfigPath);
  }

  static async start(): Promise<UpgradeFixture> {
    return new UpgradeFixture(await aSeparateCluster({ name: "upgrade" }));
  }

  /** `fairlead install` of a build. */
  async install(program: string, values: readonly string[] = []): Promise<void> {
    const words = values.map((value) => `--set=${value}`);
    const kubeconfig = `--kubeconfig=${this.#cluster.kubeconfigPath}`;
    await promisify(execFile)(process.execPath, [program, "install", kubeconfig, ...words]);
  }

  /**
   * Starts the operator of a build (default: the current one) as the newest pod of the installation, whose own
   * containers are simulated.
   */
  async run(program: string | undefined, args: readonly string[]): Promise<RunningOperator> {
    const pods = await this.api.list<{ readonly items: readonly SeenObject[] }>("pods", {
      namespace: operatorNamespace,
      selector: `app.kubernetes.io/name=${account}`,
    });
    const [pod] = pods.items
      .toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp))
      .map(({ metadata }) => metadata.name);
    if (pod === undefined) throw new Error(`there is no pod of ${account} in ${operatorNamespace}`);
    const bound = ["--bound-object-kind=Pod", `--bound-object-name=${pod}`];
    const token = await this.#kubectl([
      "create",
      "token",
      account,
      "-n",
      operatorNamespace,
      "--duration=2h",
      ...bound,
    ]);
    const config = parse(readFileSync(this.#cluster.operatorKubeconfigPath, "utf8"));
    config.users[0].user = { token: token.trim() };
    const kubeconfigPath = join(await aFolder(), "kubeconfig");
    writeFileSync(kubeconfigPath, stringify(config), { mode: 0o600 });
    const election = [
      "--leader-elect",
      `--leader-elect-id=${account}`,
      `--leader-elect-namespace=${operatorNamespace}`,
    ];
    return startOperator({
      ...(program !== undefined && { program }),
      kubeconfigPath,
      environment: { KUBERNETES_SERVICE_HOST: "127.0.0.1", POD_NAME: pod },
      args: [...election, "--retry-period=500ms", metricsArgument, ...(await this.#kindsOption()), ...args],
    });
  }

  /** Option with the kinds for which the installation has permissions. An upgrade keeps the installed ones. */
  async #kindsOption(): Promise<readonly string[]> {
    const args = "jsonpath={.spec.template.spec.containers[0].args}";
    const text = await this.#kubectl(["get", "deployment", account, "-n", operatorNamespace, "-o", args]);
    return (JSON.parse(text) as readonly string[]).filter((word) => word.startsWith("--kinds="));
  }

  /** The requests of the installation's operators to the API server, including impersonated ones. */
  requests(since: Date): Promise<AuditEvent[]> {
    const user = `system:serviceaccount:${operatorNamespace}:${account}`;
    return readAuditLog(this.#cluster.auditLogPath, { user, since });
  }

  /** Waits until a resource is Ready and, unless it has no objects, published. */
  async untilDone(resource: KubernetesObject, { publishes = true } = {}): Promise<void> {
    const { apiVersion, kind, metadata } = resource;
    const type = `${kind}.${apiVersion.split("/").toReversed().join(".")}`;
    await eventually(
      async () => {
        const seen = await this.api.get<SeenResource>(type, metadata.name, metadata.namespace);
        const types = ["Ready", ...(publishes ? ["Published"] : [])];
        const isDone = seen !== undefined && types.every((wanted) => hasCondition(seen, { type: wanted }));
        if (!isDone) throw new Error(JSON.stringify(seen?.status ?? "no status"));
        return true;
      },
      { what: `${kind} ${metadata.name} is Ready and published` },
    );
  }

  /** Metadata and content of all objects of these types, by kind and name, to detect replaced or changed ones. */
  async objectsOf(types: string, namespaces: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const texts = await Promise.all(
      namespaces.map((namespace) => this.#kubectl(["get", types, "-n", namespace, "-o", "json"])),
    );
    const items = texts.flatMap((text) => (JSON.parse(text) as { readonly items: SeenObject[] }).items);
    return new Map(
      // Leave out the resourceVersion. It changes with statuses, which Kubernetes controllers write at any time.
      items.map(({ kind, metadata: { resourceVersion: _, ...metadata }, spec, data }) => [
        `${kind} ${metadata.namespace}/${metadata.name}`,
        { metadata, spec, data },
      ]),
    );
  }
}
