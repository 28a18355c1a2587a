import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { ClusterAccess } from "../cluster/cluster-access.ts";
import { ApiTransport, type OnDate, type OnRequest } from "../cluster/transport.ts";
import type { OperatorConfig } from "../config.ts";
import type { TimeSource } from "../engine/run-clock.ts";
import type { Clock, Logger, Random } from "../ports.ts";
import { TrustedTime } from "../runtime/trusted-time.ts";
import { findLauncher } from "../sandbox/find-launcher.ts";
import { type KernelWalls, noKernelWalls, probeKernelWalls } from "../sandbox/kernel-walls.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { version } from "../telemetry/version.ts";
import { createWallsReport, type ReportWalls } from "./report-walls.ts";

export interface ComposeInput {
  readonly kinds: readonly SynthesizableKind[];
  readonly config: OperatorConfig;
  readonly access: ClusterAccess;
  readonly environment: NodeJS.ProcessEnv;
  /** Names this instance: the pod's name inside a cluster, elsewhere host name and a UUID. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Memory limit of the container, in bytes. Undefined: none. */
  readonly memoryLimit?: number | undefined;
  readonly log: Logger;
  /** Finds the sandbox's launcher. Default: looks beside the operator's program. */
  readonly provideLauncher?: (() => Promise<string | undefined>) | undefined;
}

/** What several parts share. */
export interface Ground extends ComposeInput {
  readonly userAgent: string;
  readonly metrics: Metrics | undefined;
  readonly transport: ApiTransport;
  readonly onRequest: OnRequest;
  /** By which instants of resources pass. */
  readonly time: TimeSource;
  /** Takes in Date headers of the API server. Undefined: no kind asks for the time. */
  readonly onDate: OnDate | undefined;
  /** Walls of the kernel that this container has; probed only where a zone needs them. */
  readonly walls: KernelWalls;
  /** Takes which walls processes of zones have. */
  readonly reportWalls: ReportWalls;
}

/** Makes what several parts share. */
export async function layGround(input: ComposeInput): Promise<Ground> {
  const { config, access, clock } = input;
  // Imported only where it is wanted: the library behind it costs memory.
  const hasRepository = config.repository !== undefined;
  const metrics =
    config.metricsBindAddress === "0"
      ? undefined
      : new (await import("../telemetry/metrics.ts")).Metrics({ version, hasRepository });
  const userAgent = `fairlead/${version}`;
  const onRequest: OnRequest = (request) => metrics?.requests.requested(request);
  const time = new TrustedTime(clock);
  const onDate = input.kinds.some(({ hasContext }) => hasContext)
    ? (date: string) => time.observe(date)
    : undefined;
  const transport = new ApiTransport(access, {
    clock,
    userAgent,
    onRequest,
    onDate,
    onRetry: (request) => metrics?.requests.retried(request),
  });
  const { provideLauncher = async () => findLauncher() } = input;
  const walls =
    config.releases || hasRepository
      ? await probeKernelWalls(await provideLauncher())
      : noKernelWalls("no zone is used");
  const reportWalls = createWallsReport({ ...input, metrics });
  return { ...input, userAgent, metrics, transport, onRequest, time, onDate, walls, reportWalls };
}
