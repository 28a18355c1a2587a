import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Namespace, Secret } from "../../crds/core-kinds.ts";
import { recordKeysIn } from "../../test/cluster/install.ts";
import { GitServer } from "./git-server.ts";
import { Journal } from "./journal.ts";
import { OperatorProcess, type OperatorProcessOptions } from "./operator-process.ts";
import { ApiProxy, type ApiProxyOptions } from "./proxy.ts";
import type { SharedSetup } from "./shared-setup.ts";

/** The parts of every fixture: a namespace, a folder, a repository, and a proxy for its operators. */
export interface Fixture {
  readonly shared: SharedSetup;
  readonly namespace: string;
  readonly folder: string;
  readonly proxy: ApiProxy;
  readonly journal: Journal;
  readonly git: GitServer;
  /** Runs in reverse order when the fixture is closed. */
  readonly cleanup: AsyncDisposableStack;
  addNamespace(name: string): Promise<void>;
  /** Adds an operator for the namespace. */
  addOperator(args: readonly string[], more?: Partial<OperatorProcessOptions>): OperatorProcess;
  close(): Promise<void>;
}

export interface FixtureOptions extends Omit<ApiProxyOptions, "upstream" | "journal"> {
  /** Start of the name of the namespace and the folder. */
  readonly name: string;
}

export async function createFixture(
  shared: SharedSetup,
  { name, ...proxyOptions }: FixtureOptions,
): Promise<Fixture> {
  const { api, upstream, program, preload, environment } = shared;
  const cleanup = new AsyncDisposableStack();
  const namespace = `${name}-${crypto.randomUUID().slice(0, 6)}`;
  const folder = join(shared.folder, namespace);
  await mkdir(folder, { recursive: true });
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const addNamespace = async (name: string): Promise<void> => {
    await api.create(Namespace, { metadata: { name } });
    cleanup.defer(async () => void (await api.delete(Namespace, undefined, name)));
  };
  await addNamespace(namespace);
  await Promise.all(recordKeysIn(namespace).map((secret) => api.create(Secret, secret)));
  const journal = new Journal(namespace);
  const proxy = await ApiProxy.start({ upstream, journal, ...proxyOptions });
  cleanup.defer(() => proxy.close());
  const git = await GitServer.create(folder);
  return {
    ...{ shared, namespace, folder, proxy, journal, git, cleanup, addNamespace },
    addOperator(flags, more) {
      const args = [`--namespace=${namespace}`, ...flags];
      const parts = { slot: 0, folder, program, preload, proxy, args, environment } as const;
      const operator = new OperatorProcess({ ...parts, ...more });
      cleanup.defer(() => operator.stop());
      return operator;
    },
    close: () => cleanup.disposeAsync(),
  };
}

/** Flags of an operator that deploys Releases from the repository of the fixture. */
export function releaseFlags({ folder, namespace }: Fixture): readonly string[] {
  return [
    "--releases",
    "--release-file-remotes",
    `--release-cache=${join(folder, "cache")}`,
    // The namespace of the key that seals records.
    `--leader-elect-namespace=${namespace}`,
  ];
}
