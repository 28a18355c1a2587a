import { groupKindOf } from "../../crds/object.ts";
import type { SourceZone } from "../git/source/compose-source-zone.ts";
import type { Election } from "../runtime/election.ts";
import type { HttpRoute } from "../runtime/http-server.ts";
import type { KindStores } from "../runtime/kind-stores.ts";
import { probeRoute } from "../runtime/probes.ts";
import type { Endpoint } from "./operator.ts";
import type { SharedParts } from "./shared-parts.ts";

export interface EndpointParts {
  readonly stores: KindStores;
  readonly election: Election;
  /** Undefined: the operator does not reconcile Releases. */
  readonly sourceZone: SourceZone | undefined;
}

/** Composes the endpoints of the operator: probes, metrics, and hooks, which the source zone serves. */
export function composeEndpoints(shared: SharedParts, parts: EndpointParts): readonly Endpoint[] {
  const { config, log, metrics } = shared;
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
    ...hooksOf(shared, parts),
  ];
}

/** `/metrics`, with the text of a collector. */
export function metricsRoute(expose: () => Promise<{ contentType: string; body: string }>): HttpRoute {
  return async ({ pathname }) => {
    if (pathname !== "/metrics") return undefined;
    return { status: 200, ...(await expose()) };
  };
}

/** The source zone serves hooks. It needs the leader before the first Release is reconciled. */
function hooksOf(
  { config: { hookBindAddress } }: SharedParts,
  { sourceZone }: EndpointParts,
): readonly Endpoint[] {
  if (sourceZone === undefined || hookBindAddress === "0") return [];
  const listen = async (): Promise<undefined> => {
    sourceZone.start();
  };
  return [{ serves: "hooks", listen }];
}
