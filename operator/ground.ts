import type { SynthesizableKind } from "../synth/synthesize.ts";
import type { ClusterAccess } from "./cluster/cluster-access.ts";
import { ApiTransport } from "./cluster/transport.ts";
import type { OperatorConfig } from "./config.ts";
import type { Clock, Logger, Random } from "./ports.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import { version } from "./version.ts";

export interface ComposeInput {
  readonly kinds: readonly SynthesizableKind[];
  readonly config: OperatorConfig;
  readonly access: ClusterAccess;
  readonly environment: NodeJS.ProcessEnv;
  /** Names this instance: the pod's name inside a cluster, elsewhere host name and a UUID. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What several parts share. */
export interface Ground extends ComposeInput {
  readonly userAgent: string;
  readonly metrics: Metrics | undefined;
  readonly transport: ApiTransport;
  readonly onRequest: (request: { code: string; method: string; host: string }) => void;
}

/** Makes what several parts share. */
export async function layGround(input: ComposeInput): Promise<Ground> {
  const { config, access, clock } = input;
  // Imported only where it is wanted: the library behind it costs memory.
  const metrics =
    config.metricsBindAddress === "0" ? undefined : new (await import("./telemetry/metrics.ts")).Metrics();
  const userAgent = `fairlead/${version}`;
  const onRequest: Ground["onRequest"] = ({ code, method, host }) =>
    metrics?.requested(method, host, code === "<error>" ? undefined : Number(code));
  const transport = new ApiTransport(access, { clock, userAgent, onRequest });
  return { ...input, userAgent, metrics, transport, onRequest };
}
