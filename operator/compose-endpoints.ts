import { groupKindOf } from "../crds/object.ts";
import { Release, type ReleaseSpec } from "../crds/release.ts";
import type { Ground } from "./ground.ts";
import type { Endpoint } from "./operator.ts";
import type { ReleaseController } from "./release/release-controller.ts";
import type { Election } from "./runtime/election.ts";
import type { KindStores } from "./runtime/kind-stores.ts";
import { metricsRoute } from "./runtime/metrics-route.ts";
import { probeRoute } from "./runtime/probes.ts";

export interface EndpointParts {
  readonly stores: KindStores;
  readonly election: Election;
  readonly releases: ReleaseController | undefined;
}

/** What an operator serves: probes, metrics, and hooks where Releases are reconciled. */
export function composeEndpoints(ground: Ground, parts: EndpointParts): readonly Endpoint[] {
  const { config, log, metrics } = ground;
  const { stores, election } = parts;
  const checkSources = (): void => {
    const late = stores.watched.filter(
      ({ store, reflector }) => !store.hasSynced && reflector.state.state !== "waiting-for-kind",
    );
    if (late.length > 0)
      throw new Error(`not listed yet: ${late.map(({ kind }) => groupKindOf(kind)).join(", ")}`);
  };
  const probes = probeRoute({
    healthz: { ping: () => undefined, leaderElection: () => election.checkRenewal() },
    readyz: { ping: () => undefined, sources: checkSources },
    log,
  });
  return [
    { serves: "probes", address: config.healthProbeBindAddress, route: probes },
    ...(metrics === undefined
      ? []
      : [
          {
            serves: "metrics",
            address: config.metricsBindAddress,
            route: metricsRoute(() => metrics.expose()),
          },
        ]),
    ...hooksOf(ground, parts),
  ];
}

function hooksOf(ground: Ground, { stores, election, releases }: EndpointParts): readonly Endpoint[] {
  const { config, clock, log, metrics } = ground;
  const { hookBindAddress, hookSecrets } = config;
  if (releases === undefined || hookBindAddress === "0" || hookSecrets === undefined) return [];
  const urls = (): string[] =>
    [...stores.resources(Release).list()].flatMap((release) => {
      const { source } = (release["spec"] ?? {}) as Partial<ReleaseSpec>;
      return source === undefined ? [] : [source.url];
    });
  const listen = async () => {
    const { readHookFolder } = await import("./release/hooks/hook-folder.ts");
    const { serveHooks } = await import("./release/hooks/serve-hooks.ts");
    return await serveHooks(hookBindAddress, {
      hooks: readHookFolder(hookSecrets, { clock, log }),
      urls,
      refresh: (url) => releases.refresh(url),
      leader: () => election.leader,
      observe: (outcome) => metrics?.hooks.answered(outcome),
      clock,
      log,
    });
  };
  return [{ serves: "hooks", listen }];
}
