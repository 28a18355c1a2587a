import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { KubernetesObject } from "../../crds/object.ts";
import { RefusedError } from "./command-requests.ts";
import { openDirectApi } from "./direct.ts";
import type { TestCluster } from "./global-setup.ts";
import { parseKubectl } from "./kubectl-command.ts";
import { runDirectly } from "./kubectl-direct.ts";

export interface KubectlOptions {
  /** Standard input: text unchanged, an object or several as JSON. */
  readonly input?: string | object | readonly object[];
  /** Default: `admin`, who has all permissions. */
  readonly user?: "admin" | "operator";
}

/** Runs kubectl. Arguments are a list, or one text without spaces within an argument. Returns the output. */
export type Kubectl = (args: string | readonly string[], options?: KubectlOptions) => Promise<string>;

/** kubectl failed; the message contains its output. */
export class KubectlError extends Error {
  override readonly name = "KubectlError";
}

/** kubectl for a cluster. Frequent commands are requests of this process: {@link runDirectly}. */
export function kubectlFor(cluster: TestCluster): Kubectl {
  return async (args, { input, user = "admin" } = {}) => {
    const kubeconfig = user === "admin" ? cluster.kubeconfigPath : cluster.operatorKubeconfigPath;
    const words = typeof args === "string" ? args.split(/\s+/).filter((word) => word !== "") : args;
    try {
      if (typeof input !== "string") {
        const objects = input === undefined ? undefined : ([input].flat() as KubernetesObject[]);
        return await runDirectly(openDirectApi(kubeconfig), parseKubectl(words), objects);
      }
    } catch (error) {
      if (error instanceof RefusedError)
        throw new KubectlError(`kubectl ${words.join(" ")}: ${error.message}`, { cause: error });
    }
    return await runProcess(cluster, { kubeconfig, words, input });
  };
}

interface ProcessOptions {
  readonly kubeconfig: string;
  readonly words: readonly string[];
  readonly input: KubectlOptions["input"];
}

async function runProcess(
  cluster: TestCluster,
  { kubeconfig, words, input }: ProcessOptions,
): Promise<string> {
  // It is removed with the cluster, and another cluster with the same port has a separate one.
  const cache = join(dirname(cluster.kubeconfigPath), "cache");
  const running = promisify(execFile)(
    cluster.kubectlPath,
    [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cache}`, ...words],
    { maxBuffer: 256 * 1024 ** 2, timeout: 240_000 },
  );
  if (input !== undefined) running.child.stdin?.end(toText(input));
  try {
    return (await running).stdout;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new KubectlError(`kubectl ${words.join(" ")}: ${stderr?.trim() || error}`, { cause: error });
  }
}

function toText(input: string | object | readonly object[]): string {
  if (typeof input === "string") return input;
  if (!Array.isArray(input)) return JSON.stringify(input);
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: input });
}
