import { join } from "node:path";
import { composeSourceZone, type SourceZone } from "../git/source/compose-source-zone.ts";
import type { Election } from "../runtime/election.ts";
import type { SharedParts } from "./shared-parts.ts";

/** Folder for clones of the repositories of Releases. */
function releaseCacheOf({ releaseCache, repositoryCache }: SharedParts["config"]): string {
  return releaseCache ?? join(repositoryCache, "releases");
}

/**
 * Whether Releases may use repositories of this machine: an operator in a cluster must not read files and addresses of
 * its node.
 */
export function allowsLocalSources({ config, environment }: SharedParts): boolean {
  return config.releaseFileRemotes ?? environment["KUBERNETES_SERVICE_HOST"] === undefined;
}

/** The source zone of the configuration; undefined: Releases are disabled. */
export function sourceZoneOf(shared: SharedParts, election: Election): SourceZone | undefined {
  const { config, environment, clock, random, log, metrics, isolation, reportIsolation } = shared;
  const { releases, zoneSockets, hookBindAddress, hookSecrets, logLevel, logFormat } = config;
  if (!releases) return undefined;
  const servesHooks = hookBindAddress !== "0" && hookSecrets !== undefined;
  return composeSourceZone({
    zoneSockets,
    worker: {
      cache: releaseCacheOf(config),
      cacheBytes: config.releaseCacheSize,
      isolation,
      requireIsolation: config.releaseRequireSandbox,
      allowFile: allowsLocalSources(shared),
      hooks: servesHooks ? { address: hookBindAddress, secrets: hookSecrets } : undefined,
      ...{ logLevel, logFormat },
    },
    leader: () => election.leader,
    onIsolation: (process, found) => reportIsolation({ zone: "source", process }, found),
    observeHook: (outcome, times) => metrics?.hooks.answered(outcome, times),
    ...{ environment, clock, random, log },
  });
}
