import { ClusterUid } from "../cluster/cluster-uid.ts";
import { KubeCluster } from "../cluster/kube-cluster.ts";
import { isGitError } from "../git/git-errors.ts";
import { composePublishZone, type PublishZone } from "../git/publish/compose-publish-zone.ts";
import {
  createGitPublisher,
  type GitPublisher,
  type GitPublisherOptions,
} from "../git/publish/git-publisher.ts";
import { parseRemoteUrl } from "../git/remote-url.ts";
import type { Fence, FolderClaim, Logger, PublishOffer } from "../ports.ts";
import type { Election } from "../runtime/election.ts";
import { version } from "../telemetry/version.ts";
import { leaseOf } from "./compose-election.ts";
import type { KindController } from "./controllers.ts";
import type { AnnounceOperator } from "./operator-events.ts";
import type { SharedParts } from "./shared-parts.ts";

export interface PublisherParts {
  /** The known state of the resource of a folder. */
  readonly claimOf: (folder: string) => FolderClaim;
  readonly election: Election;
  readonly confirmLeadership: () => Promise<boolean>;
  /** Records events that concern all resources. */
  readonly announce: AnnounceOperator;
  /** Set later: requeues keys when the state of a publication changes. */
  readonly controllers: readonly KindController[];
}

/** One location on a branch of the repository: the content below `root`. */
export interface RepositoryPlace {
  readonly branch: string;
  readonly root: string;
}

export interface OpenPlaceOptions extends RepositoryPlace {
  readonly claimOf: (folder: string) => FolderClaim;
}

export interface ComposedRepository {
  /**
   * Reads the id of the cluster, and has the zone check the credentials; call it before anything is published.
   *
   * @throws UnnamedClusterError, GitError `Credentials`
   */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  readonly publisher: GitPublisher;
  /** Another location in the same repository; the caller starts and closes it. */
  readonly open: (options: OpenPlaceOptions) => GitPublisher;
  /** Ends the process of the publish zone, if it belongs to the operator. Call it after the publishers were closed. */
  readonly close: () => Promise<void>;
}

/**
 * The repository; undefined if none is configured.
 *
 * @throws RemoteUrlError for a URL that is not supported.
 */
export function composePublisher(shared: SharedParts, parts: PublisherParts): ComposedRepository | undefined {
  const { config, clock, random, log, transport, environment, isolation, reportIsolation } = shared;
  const { election, confirmLeadership, controllers, announce, claimOf } = parts;
  const { repository } = config;
  if (repository === undefined) return undefined;
  // A wrong address is a mistake in the deployment, so report it before anything runs.
  parseRemoteUrl(repository);
  // Reading it needs no leadership.
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
      lease: leaseOf(shared).join("/"),
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
  const zone = composePublishZone({
    zoneSockets: config.zoneSockets,
    worker: {
      cache: config.repositoryCache,
      repository,
      credentials: config.repositoryCredentials,
      isolation,
      requireIsolation: config.releaseRequireSandbox,
      logLevel: config.logLevel,
      logFormat: config.logFormat,
    },
    onIsolation: (process, found) => reportIsolation({ zone: "publish", process }, found),
    ...{ environment, clock, random, log },
  });
  return {
    prepare: async (signal) => {
      const failed = new AbortController();
      const learned = clusterUid.learn(AbortSignal.any([signal, failed.signal]));
      await Promise.all([learned, checkCredentials(zone, log)]).finally(() => failed.abort());
    },
    publisher: createGitPublisher({ ...options, root: own.root, clone: zone.clone(own) }),
    open: ({ branch, root, claimOf }) =>
      createGitPublisher({ ...options, root, claimOf, clone: zone.clone({ branch, root }) }),
    close: () => zone.close(),
  };
}

/**
 * Missing mounted credentials are a mistake in the deployment, too. An unavailable zone is not: drift is corrected
 * without it.
 *
 * @throws GitError `Credentials`
 */
async function checkCredentials(zone: Pick<PublishZone, "check">, log: Logger): Promise<void> {
  try {
    await zone.check();
  } catch (error) {
    if (!isGitError(error, "RepositoryUnreachable")) throw error;
    log.warn("Cannot check the credentials of the repository", { reason: error.message });
  }
}

const noFence: Fence = { check() {} };
