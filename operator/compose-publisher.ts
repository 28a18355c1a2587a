import { KubeCluster } from "./cluster/kube-cluster.ts";
import { ClusterUid } from "./cluster-uid.ts";
import { leaseOf } from "./compose-election.ts";
import type { KindController } from "./controllers.ts";
import { readCredentials } from "./git/credentials.ts";
import type { BranchClone } from "./git/publish/branch-clone.ts";
import {
  createGitPublisher,
  type GitPublisher,
  type GitPublisherOptions,
} from "./git/publish/git-publisher.ts";
import { LocalClone } from "./git/publish/local-clone.ts";
import { parseRemoteUrl } from "./git/remote-url.ts";
import type { Ground } from "./ground.ts";
import type { AnnounceOperator } from "./operator-events.ts";
import type { Fence, FolderClaim, PublishOffer } from "./ports.ts";
import type { Election } from "./runtime/election.ts";
import { version } from "./version.ts";

export interface PublisherParts {
  /** What is known of the resource behind a folder. */
  readonly claimOf: (folder: string) => FolderClaim;
  readonly election: Election;
  readonly confirmLeadership: () => Promise<boolean>;
  /** Tells what concerns all resources. */
  readonly announce: AnnounceOperator;
  /** Filled later: an answer of git puts keys back into their queues. */
  readonly controllers: readonly KindController[];
}

/** One place on a branch of the repository: what is below `root`. */
export interface RepositoryPlace {
  readonly branch: string;
  readonly root: string;
}

export interface OpenPlaceOptions extends RepositoryPlace {
  readonly claimOf: (folder: string) => FolderClaim;
}

export interface ComposedRepository {
  /** Learns what names the cluster in the repository; to be done before anything is published. @throws UnnamedClusterError */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  readonly publisher: GitPublisher;
  /** Another place on the same repository; the caller starts and closes it. */
  readonly open: (options: OpenPlaceOptions) => GitPublisher;
}

/**
 * The repository; undefined where none is wanted.
 *
 * @throws RemoteUrlError, CredentialsError for a repository that could never be used.
 */
export async function composePublisher(
  ground: Ground,
  parts: PublisherParts,
): Promise<ComposedRepository | undefined> {
  const { config, clock, random, log, transport, environment } = ground;
  const { election, confirmLeadership, controllers, announce, claimOf } = parts;
  const { repository } = config;
  if (repository === undefined) return undefined;
  // A wrong address or a folder that was never mounted is a mistake in the deployment: say so before anything runs.
  await readCredentials(config.repositoryCredentials, parseRemoteUrl(repository));
  // Reading it is no write, and asks for no leadership.
  const cluster = new KubeCluster({ transport, fence: noFence, clock });
  const clusterUid = new ClusterUid({ cluster, clock, random, log });
  const report = (owners: readonly PublishOffer["owner"][]): void => {
    for (const [name, concerned] of Map.groupBy(owners, ({ groupKind }) => groupKind))
      controllers.find((controller) => controller.name === name)?.report(concerned.map(({ key }) => key));
  };
  const options: Omit<GitPublisherOptions, "clone" | "root"> = {
    owner: {
      get cluster() {
        return clusterUid.value;
      },
      lease: leaseOf(ground).join("/"),
    },
    version,
    clock,
    random,
    log: log.child({ controller: "repository" }),
    fence: election.fence,
    term: () => election.term,
    confirmLeadership,
    claimOf,
    onChange: report,
    announce,
  };
  const own = { branch: config.repositoryBranch, root: config.repositoryPath };
  const cloneOf = (place: RepositoryPlace): BranchClone =>
    new LocalClone({
      ...place,
      repository,
      credentialsDirectory: config.repositoryCredentials,
      cacheDirectory: config.repositoryCache,
      ...{ clock, environment },
    });
  return {
    prepare: (signal) => clusterUid.learn(signal),
    publisher: createGitPublisher({ ...options, ...own, clone: cloneOf(own) }),
    open: ({ branch, root, claimOf }) =>
      createGitPublisher({ ...options, root, claimOf, clone: cloneOf({ branch, root }) }),
  };
}

const noFence: Fence = { check() {} };
