import type { Clock, Logger } from "../ports.ts";
import { systemClock } from "../runtime/clock.ts";
import { type IsolationReport, readIsolationReport, toIsolationReport } from "../sandbox/isolation-report.ts";
import { describeMissingIsolation } from "../sandbox/kernel-isolation.ts";
import { createLogger, type LogLevel } from "../telemetry/log.ts";
import { serveAsWorker, type ZoneWorkerOptions } from "../zones/zone-worker.ts";
import type { ConfineGit } from "./git-command.ts";
import { tryIsolation } from "./try-isolation.ts";

/** Flags of the process of a zone that runs git, as gitZoneCommand() writes them. */
export const gitWorkerFlags = {
  socket: { type: "string", default: "" },
  "socket-fd": { type: "string" },
  cache: { type: "string", default: "" },
  isolation: { type: "string", default: "{}" },
  "require-isolation": { type: "boolean", default: false },
  launcher: { type: "string" },
  "log-level": { type: "string", default: "info" },
  "log-format": { type: "string" },
} as const;

export interface GitWorkerInput {
  /** Name of the zone. */
  readonly zone: string;
  /** Values of {@link gitWorkerFlags}. */
  readonly values: {
    readonly socket: string;
    readonly "socket-fd"?: string | undefined;
    readonly cache: string;
    /** Isolation of this process, as JSON. */
    readonly isolation: string;
    readonly "require-isolation": boolean;
    readonly launcher?: string | undefined;
    readonly "log-level": string;
    readonly "log-format"?: string | undefined;
    /** As for confineGit(). */
    readonly credentials?: string | undefined;
  };
  /** The environment of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The process of a zone that runs git. */
export interface GitWorker {
  readonly clock: Clock;
  readonly log: Logger;
  /** Isolation of all git processes; undefined: git does not work with it. */
  readonly confine: ConfineGit | undefined;
  /** Isolation of this process, and of git. */
  readonly isolation: { readonly own: IsolationReport; readonly git: IsolationReport };
  /** Required isolation of git that the kernel lacks. Undefined: git may run. */
  readonly gap: string | undefined;
  /** Serves the operator. */
  serve(options: Pick<ZoneWorkerOptions, "close" | "limits" | "serve" | "describeError">): Promise<void>;
}

/** Determines the isolation of this process, and of git. */
export async function setUpGitWorker({ zone, values, environment }: GitWorkerInput): Promise<GitWorker> {
  const { cache, credentials, launcher, socket, "socket-fd": descriptor } = values;
  const clock = systemClock();
  const log = createLogger({
    clock,
    level: values["log-level"] as LogLevel,
    format: values["log-format"] as "text" | "json" | undefined,
  }).child({ zone });
  const own = JSON.parse(values.isolation) as IsolationReport;
  const isRoot = process.getuid?.() === 0;
  const tried = await tryIsolation({ launcher, cache, credentials, environment, isRoot, clock, log });
  log.info("Kernel isolation of a zone", { zone, ...readIsolationReport(own) });
  return {
    ...{ clock, log, confine: tried.confine },
    isolation: { own, git: toIsolationReport(tried.isolation) },
    gap: values["require-isolation"] ? describeMissingIsolation(tried.isolation, "git processes") : undefined,
    serve: (options) => serveAsWorker({ ...options, socket, descriptor, zone, clock, requestParts: 1 }),
  };
}
