import { KubeLeaseClient } from "../cluster/lease-client.ts";
import { type Election, NoElection } from "../runtime/election.ts";
import { LeaderElector } from "../runtime/leader.ts";
import type { SharedParts } from "./shared-parts.ts";

export interface ComposedElection {
  readonly election: Election;
  readonly confirmLeadership: () => Promise<boolean>;
  readonly closeElection: () => Promise<void>;
}

/**
 * Leader election: with `--leader-elect` only the holder of the Lease may write. `onLost` is called when this instance
 * loses it.
 */
export function composeElection(shared: SharedParts, onLost: () => void): ComposedElection {
  const { config, access, clock, random, log, identity, userAgent, onRequest, metrics } = shared;
  if (!config.leaderElect) {
    return {
      election: new NoElection(),
      confirmLeadership: async () => true,
      closeElection: async () => undefined,
    };
  }
  const {
    leaseDuration: leaseDurationMs,
    renewDeadline: renewDeadlineMs,
    retryPeriod: retryPeriodMs,
  } = config;
  const [namespace, name] = leaseOf(shared);
  const client = new KubeLeaseClient({
    access,
    clock,
    namespace,
    name,
    userAgent,
    renewDeadlineMs,
    onRequest,
  });
  const observer = metrics?.leader(name);
  const election = new LeaderElector({
    client,
    identity,
    address: hookAddressOf(shared),
    times: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    clock,
    random,
    log,
    ...(observer && { observer }),
    onStoppedLeading: (why) => {
      if (why === "lost") onLost();
    },
  });
  return {
    election,
    confirmLeadership: async () => {
      const lease = await client.get({ signal: AbortSignal.timeout(renewDeadlineMs) });
      return lease?.spec?.holderIdentity === identity;
    },
    closeElection: () => client.close(),
  };
}

/** Address of this instance's hooks for other instances: a pod gets its own address from its environment. */
function hookAddressOf({
  config,
  environment,
}: Pick<SharedParts, "config" | "environment">): string | undefined {
  const port = /:(\d+)$/.exec(config.hookBindAddress)?.[1];
  const ip = environment["POD_IP"];
  if (port === undefined || ip === undefined || ip === "") return undefined;
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** Namespace and name of the Secret with the key of records. The charts use the same name. */
export function recordKeyPlaceOf(shared: Pick<SharedParts, "config" | "access">): readonly [string, string] {
  const [namespace, name] = leaseOf(shared);
  return [namespace, `${name}-records`];
}

/** Namespace and name of the Lease. */
export function leaseOf({
  config,
  access,
}: Pick<SharedParts, "config" | "access">): readonly [string, string] {
  return [config.leaderElectNamespace ?? access.namespace, config.leaderElectId];
}
