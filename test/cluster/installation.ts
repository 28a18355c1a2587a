import { afterAll, beforeAll } from "vitest";
import { shippedKinds } from "../../charts/bindings-delivery.ts";
import { type InstallFlags, runInstall } from "../../cli/commands/install.ts";
import type { Screen } from "../../cli/commands/screen.ts";
import { runUninstall, type UninstallFlags } from "../../cli/commands/uninstall.ts";
import { type LocalCluster, startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";

export interface EmptyCluster {
  readonly local: LocalCluster;
  readonly kubectl: Kubectl;
  /** `fairlead install` in this process; returns its output. */
  install(flags: InstallFlags): Promise<string>;
  uninstall(flags: UninstallFlags): Promise<string>;
}

/** A cluster without the operator's objects, for all tests of a file. */
export function anEmptyCluster(): EmptyCluster {
  let local: LocalCluster | undefined;
  beforeAll(async () => {
    local = await startLocalCluster({ name: "install", fsync: false });
  });
  afterAll(() => local?.stop());
  const started = (): LocalCluster => {
    if (local === undefined) throw new Error("The cluster has not been started yet");
    return local;
  };
  return {
    get local() {
      return started();
    },
    kubectl: (args, options) => {
      const { kubectlPath = "kubectl", ...cluster } = started();
      return kubectlFor({ ...cluster, kubectlPath })(args, options);
    },
    install: (flags) =>
      printed((screen) =>
        runInstall(shippedKinds, { kubeconfig: started().kubeconfigPath, ...flags }, screen),
      ),
    uninstall: (flags) =>
      printed((screen) =>
        runUninstall(shippedKinds, { kubeconfig: started().kubeconfigPath, ...flags }, screen),
      ),
  };
}

/** Names an installation for one test. */
export function anInstallation(): { readonly name: string; readonly set: readonly string[] } {
  const name = `op-${crypto.randomUUID().slice(0, 8)}`;
  return { name, set: [`name=${name}`, `namespace=${name}`] };
}

async function printed(run: (screen: Screen) => Promise<void>): Promise<string> {
  let text = "";
  await run({
    print: (line) => {
      text += `${line}\n`;
    },
    withProgress: (_, work) => work(() => undefined),
  });
  return text;
}
