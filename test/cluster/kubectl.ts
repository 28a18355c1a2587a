import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestCluster } from "./global-setup.ts";

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

export function kubectlFor(cluster: TestCluster): Kubectl {
  return async (args, { input, user = "admin" } = {}) => {
    const kubeconfig = user === "admin" ? cluster.kubeconfigPath : cluster.operatorKubeconfigPath;
    const words = typeof args === "string" ? args.split(/\s+/).filter((word) => word !== "") : args;
    // It is removed with the cluster, and another cluster with the same port has a separate one.
    const cache = join(dirname(cluster.kubeconfigPath), "cache");
    const running = promisify(execFile)(
      cluster.kubectlPath,
      [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cache}`, ...words],
      { maxBuffer: 256 * 1024 ** 2, timeout: 60_000 },
    );
    if (input !== undefined) running.child.stdin?.end(toText(input));
    try {
      return (await running).stdout;
    } catch (error) {
      const { stderr } = error as { readonly stderr?: string };
      throw new KubectlError(`kubectl ${words.join(" ")}: ${stderr?.trim() || error}`, { cause: error });
    }
  };
}

function toText(input: string | object | readonly object[]): string {
  if (typeof input === "string") return input;
  if (!Array.isArray(input)) return JSON.stringify(input);
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: input });
}
