import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { ClusterAccess } from "../cluster/cluster-access.ts";
import { ApiTransport, type OnDate, type OnRequest } from "../cluster/transport.ts";
import type { OperatorConfig } from "../config.ts";
import type { TimeSource } from "../engine/run-clock.ts";
import type { Clock, Logger, Random } from "../ports.ts";
import { TrustedTime } from "../runtime/trusted-time.ts";
import { findLauncher } from "../sandbox/find-launcher.ts";
import {
  type KernelIsolation,
  noKernelIsolation,
  probeKernelIsolation,
} from "../sandbox/kernel-isolation.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { version } from "../telemetry/version.ts";
import { createIsolationReport, type ReportIsolation } from "./report-isolation.ts";

export interface ComposeInput {
  readonly kinds: readonly SynthesizableKind[];
  readonly config: OperatorConfig;
  readonly access: ClusterAccess;
  readonly environment: NodeJS.ProcessEnv;
  /** Identity of this instance: the pod's name inside a cluster, otherwise host name and a UUID. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Memory limit of the container, in bytes. Undefined: none. */
  readonly memoryLimit?: number | undefined;
  readonly log: Logger;
  /** Finds the sandbox's launcher. Default: searches beside the operator's program. */
  readonly provideLauncher?: (() => Promise<string | undefined>) | undefined;
}

/** Parts that several components share. */
export interface SharedParts extends ComposeInput {
  readonly userAgent: string;
  readonly metrics: Metrics | undefined;
  readonly transport: ApiTransport;
  readonly onRequest: OnRequest;
  /** Decides whether an instant of a resource has passed. */
  readonly time: TimeSource;
  /** Receives Date headers of the API server. Undefined: no kind uses the clock. */
  readonly onDate: OnDate | undefined;
  /** Kernel isolation that is available in this container; probed only if a zone needs it. */
  readonly isolation: KernelIsolation;
  /** Receives the isolation of processes of zones. */
  readonly reportIsolation: ReportIsolation;
}

/** Creates the shared parts. */
export async function createSharedParts(input: ComposeInput): Promise<SharedParts> {
  const { config, access, clock } = input;
  // Imported only if it is needed: its library uses memory.
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
  const isolation =
    config.releases || hasRepository
      ? await probeKernelIsolation(await provideLauncher())
      : noKernelIsolation("no zone is used");
  const reportIsolation = createIsolationReport({ ...input, metrics });
  return { ...input, userAgent, metrics, transport, onRequest, time, onDate, isolation, reportIsolation };
}
