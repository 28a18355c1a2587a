import { Namespace } from "../crds/core-kinds.ts";
import type { LiveObject } from "../crds/object.ts";
import { KubeCluster } from "./cluster/kube-cluster.ts";
import { leaseOf } from "./compose-election.ts";
import type { KindController } from "./controllers.ts";
import { createFolderClaims } from "./folder-claims.ts";
import { readCredentials } from "./git/credentials.ts";
import { createGitPublisher, type GitPublisher } from "./git/git-publisher.ts";
import { parseRemoteUrl } from "./git/remote-url.ts";
import type { Ground } from "./ground.ts";
import type { AnnounceOperator } from "./operator-events.ts";
import type { Fence, PublishOffer } from "./ports.ts";
import type { Election } from "./runtime/election.ts";
import type { KindStores } from "./runtime/kind-stores.ts";
import { version } from "./version.ts";

export interface PublisherParts {
  readonly stores: KindStores;
  readonly election: Election;
  readonly confirmLeadership: () => Promise<boolean>;
  /** Tells what concerns all resources. */
  readonly announce: AnnounceOperator;
  /** Filled later: an answer of git puts keys back into their queues. */
  readonly controllers: readonly KindController[];
}

/**
 * The repository; undefined where none is wanted. Asks the API server once, for the uid that names the cluster.
 *
 * @throws RemoteUrlError, CredentialsError for a repository that could never be used; Error when the uid cannot be had.
 */
export async function composePublisher(
  ground: Ground,
  parts: PublisherParts,
): Promise<GitPublisher | undefined> {
  const { config, kinds, clock, random, log, transport, environment } = ground;
  const { stores, election, confirmLeadership, controllers, announce } = parts;
  if (config.repository === undefined) return undefined;
  // A wrong address or a folder that was never mounted is a mistake in the deployment: say so before anything runs.
  await readCredentials(config.repositoryCredentials, parseRemoteUrl(config.repository));
  // Reading it is no write, and asks for no leadership.
  const cluster = await readClusterUid(new KubeCluster({ transport, fence: noFence, clock }));
  const requeue = (owners: readonly PublishOffer["owner"][]): void => {
    const stepMs = reportsMs(owners.length) / owners.length;
    for (const [index, { groupKind, key }] of owners.entries())
      controllers.find(({ name }) => name === groupKind)?.queue.add(key, { afterMs: index * stepMs });
  };
  return createGitPublisher({
    repository: config.repository,
    branch: config.repositoryBranch,
    root: config.repositoryPath,
    credentialsDirectory: config.repositoryCredentials,
    cacheDirectory: config.repositoryCache,
    owner: { cluster, lease: leaseOf(ground).join("/") },
    version,
    clock,
    random,
    log: log.child({ controller: "repository" }),
    fence: election.fence,
    term: () => election.term,
    confirmLeadership,
    claimOf: createFolderClaims({ kinds: kinds.map(({ definition }) => definition), stores }),
    onChange: requeue,
    announce,
    environment,
  });
}

/** Without it we could not tell our folders in the repository from those of another cluster. */
async function readClusterUid(cluster: KubeCluster): Promise<string> {
  const cannot = "Cannot use the repository: the uid of the namespace kube-system names this cluster there";
  let system: LiveObject | undefined;
  try {
    system = await cluster.read({ kind: Namespace, namespace: undefined, name: "kube-system" });
  } catch (error) {
    throw new Error(`${cannot}. ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (system === undefined) throw new Error(`${cannot}, and there is no such namespace`);
  return system.metadata.uid;
}

/**
 * Over how long the reports of one commit are spread: as a burst they would keep both API server and workers from the
 * edits that come meanwhile (churn p99 with git: 70 ms → 17 ms).
 */
function reportsMs(count: number): number {
  return Math.min(20 * count, 500);
}

const noFence: Fence = { check() {} };
