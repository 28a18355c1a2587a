import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { groupKindOf } from "../crds/object.ts";
import type { SynthesizableKind } from "../synth/synthesize.ts";
import { loadClusterAccess } from "./cluster/kube-config.ts";
import { runZone } from "./compose/run-zone.ts";
import { composeOperator } from "./compose.ts";
import { chosenKinds } from "./config/chosen-kinds.ts";
import { parseOptionTexts } from "./config/command-line.ts";
import { type OptionTexts, readOperatorConfig } from "./config.ts";
import { systemClock } from "./runtime/clock.ts";
import { readMemoryLimit } from "./runtime/memory-limit.ts";
import { listenForSignals } from "./runtime/signals.ts";
import { createLogger } from "./telemetry/log.ts";
import { version } from "./telemetry/version.ts";

export interface RunOperatorInput {
  readonly kinds: readonly SynthesizableKind[];
  /** Loads more kinds, which need Releases. Called only with `--releases`, so that other operators do not load their code. */
  readonly loadReleaseKinds?: () => Promise<readonly SynthesizableKind[]>;
  /**
   * Options by name, as texts; missing ones are read from `FAIRLEAD_…` variables, then have the defaults. Without this
   * option the command line of the process is read.
   */
  readonly options?: OptionTexts;
  readonly environment?: NodeJS.ProcessEnv;
  /** Finds the sandbox's launcher. Default: searches in an image or a package. */
  readonly provideLauncher?: () => Promise<string | undefined>;
}

/**
 * Reconciles the given kinds until SIGTERM or SIGINT, or until the lease is lost.
 *
 * @returns The exit code: 0 after an orderly stop; 1 after a lost lease, or when it cannot start.
 * @throws ConfigError that names every invalid option.
 */
export async function runOperator(input: RunOperatorInput): Promise<number> {
  const zone = input.options === undefined ? runZone(process.argv) : undefined;
  if (zone !== undefined) return await zone;
  const {
    provideLauncher,
    options = parseOptionTexts(process.argv.slice(2)),
    environment = process.env,
  } = input;
  const config = readOperatorConfig(options, environment);
  const releaseKinds = config.releases ? await input.loadReleaseKinds?.() : undefined;
  const kinds = chosenKinds([...input.kinds, ...(releaseKinds ?? [])], config);
  const clock = systemClock();
  const log = createLogger({ clock, level: config.logLevel, format: config.logFormat });
  // Clock timers do not prevent a process from exiting, and while the API server is unavailable there may be nothing
  // else that does.
  const alive = setInterval(() => undefined, 60_000);
  try {
    const { kubeconfig, context, namespaces, repository } = config;
    const access = await loadClusterAccess({ kubeconfig, context, env: environment, clock });
    log.info("Starting", {
      version,
      server: access.server.href,
      kinds: kinds.map(({ definition }) => groupKindOf(definition)),
      namespaces: namespaces.length === 0 ? "all" : namespaces,
      repository,
    });
    const operator = await composeOperator({
      kinds,
      config,
      access,
      environment,
      identity: identityOf(environment),
      clock,
      random: Math.random,
      memoryLimit: readMemoryLimit(),
      log,
      provideLauncher,
    });
    const stopListening = listenForSignals(process, {
      stop: () => operator.stop(),
      exit: (code) => process.exit(code),
    });
    try {
      return await operator.run();
    } finally {
      stopListening();
    }
  } catch (error) {
    // The message of an own error class contains the problem and what to do; for any other error the stack is needed.
    const isExplained = error instanceof Error && Object.hasOwn(error, "name");
    log.error("Cannot run", isExplained ? { reason: error.message } : { error });
    return 1;
  } finally {
    clearInterval(alive);
  }
}

/** Inside a cluster exactly the pod's name, which its token also contains; otherwise the host name and a UUID. */
function identityOf(environment: NodeJS.ProcessEnv): string {
  const isPod = environment["KUBERNETES_SERVICE_HOST"] !== undefined;
  if (!isPod) return `${hostname()}_${randomUUID()}`;
  // A pod's host name is its name, unless it uses the network of its node; an empty variable counts as not set.
  return environment["POD_NAME"] || hostname();
}
