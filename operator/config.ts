import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { bindAddress, dnsLabel, duration, flag, kindNames, relativeFolder } from "./config/option-values.ts";
import { releaseOptionShapes, releaseOptions } from "./desire/release/release-options.ts";
import { assertElectionTimes } from "./engine/election.ts";

/** Definition of every option: the command line, the environment and `--help` are derived from it. */
interface OptionSpec {
  readonly flag: string;
  /** Placeholder in the help text; a flag without a placeholder is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly fallback?: string;
  readonly repeatable?: true;
}

export const operatorOptions = {
  kubeconfig: {
    flag: "kubeconfig",
    value: "FILE",
    help: "Kubeconfig file; default: KUBECONFIG, ~/.kube/config, in-cluster",
  },
  context: {
    flag: "context",
    value: "NAME",
    help: "Context of the kubeconfig; default: its current context",
  },
  namespaces: {
    flag: "namespace",
    value: "NAME",
    help: "Namespace to watch, repeatable; default: all",
    repeatable: true,
  },
  kinds: {
    flag: "kinds",
    value: "NAMES",
    help: "Kinds to reconcile, separated by commas; all, or none to reconcile only Releases",
    fallback: "all",
  },
  workers: {
    flag: "workers",
    value: "N",
    help: "Resources of one kind reconciled at the same time",
    fallback: "16",
  },
  repository: {
    flag: "repository",
    value: "URL",
    help: "Git repository (file, https, ssh) for rendered manifests",
  },
  repositoryBranch: {
    flag: "repository-branch",
    value: "NAME",
    help: "Branch of the repository",
    fallback: "main",
  },
  repositoryPath: {
    flag: "repository-path",
    value: "FOLDER",
    help: "Folder in the repository; default: its root",
    fallback: "",
  },
  repositoryCredentials: {
    flag: "repository-credentials",
    value: "DIR",
    help: "Folder with username and password, bearerToken, or identity and known_hosts, and ca.crt for https; not needed with --zone-sockets",
  },
  repositoryCache: {
    flag: "repository-cache",
    value: "DIR",
    help: "Cache folder for bare clones; they can be deleted at any time",
  },
  ...releaseOptions,
  leaderElect: { flag: "leader-elect", help: "Elect one leader among several instances", fallback: "false" },
  leaderElectNamespace: {
    flag: "leader-elect-namespace",
    value: "NAME",
    help: "Namespace of the Lease; default: the operator's own",
  },
  leaderElectId: { flag: "leader-elect-id", value: "NAME", help: "Name of the Lease", fallback: "fairlead" },
  fences: {
    flag: "fence",
    value: "NAME",
    help: "Admission policy that limits the operator's writes, repeatable; the operator logs whether it is in force",
    repeatable: true,
  },
  leaseDuration: {
    flag: "lease-duration",
    value: "TIME",
    help: "How long a Lease is valid without renewal",
    fallback: "15s",
  },
  renewDeadline: {
    flag: "renew-deadline",
    value: "TIME",
    help: "Time after which a leader that cannot renew the Lease steps down",
    fallback: "10s",
  },
  retryPeriod: {
    flag: "retry-period",
    value: "TIME",
    help: "Time between two attempts to acquire or renew the Lease",
    fallback: "2s",
  },
  metricsBindAddress: {
    flag: "metrics-bind-address",
    value: "ADDRESS",
    help: "Address of /metrics; 0 disables it",
    fallback: ":8080",
  },
  healthProbeBindAddress: {
    flag: "health-probe-bind-address",
    value: "ADDRESS",
    help: "Address of /healthz and /readyz; 0 disables them",
    fallback: ":8081",
  },
  logLevel: { flag: "log-level", value: "LEVEL", help: "debug, info, warn or error", fallback: "info" },
  logFormat: {
    flag: "log-format",
    value: "FORMAT",
    help: "text or json; default: text on a terminal, else json",
  },
  tracing: {
    flag: "tracing",
    help: "Create OpenTelemetry spans with the SDK that is registered in the process",
    fallback: "false",
  },
} as const satisfies Record<string, OptionSpec>;

export type OptionName = keyof typeof operatorOptions;

/** Texts of options by name, from the command line; missing ones are read from the environment or have the default. */
export type OptionTexts = Partial<Record<OptionName, string | readonly string[]>>;

const schema = z
  .object({
    kubeconfig: z.string().min(1).optional(),
    context: z.string().min(1).optional(),
    namespaces: z.array(dnsLabel).default([]),
    kinds: kindNames,
    workers: z.coerce.number({ error: "expected a number" }).pipe(z.int().min(1).max(1_000)),
    repository: z.string().min(1).optional(),
    repositoryBranch: z.string().regex(/^(?!-)[\w./-]+$/, { error: "expected a branch name" }),
    repositoryPath: relativeFolder,
    repositoryCredentials: z.string().min(1).optional(),
    repositoryCache: z.string().min(1).default(join(tmpdir(), "fairlead-git")),
    ...releaseOptionShapes,
    leaderElect: flag,
    leaderElectNamespace: dnsLabel.optional(),
    leaderElectId: z
      .string()
      .regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, { error: "expected a Lease name" }),
    fences: z
      .array(z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, { error: "expected a policy name" }))
      .default([]),
    leaseDuration: duration,
    renewDeadline: duration,
    retryPeriod: duration,
    metricsBindAddress: bindAddress,
    healthProbeBindAddress: bindAddress,
    logLevel: z.enum(["debug", "info", "warn", "error"]),
    logFormat: z.enum(["text", "json"]).optional(),
    tracing: flag,
  })
  .strict();

export type OperatorConfig = z.output<typeof schema>;

/** An invalid option; `message` has one line per error, each naming the option as the user wrote it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The environment variable of an option: `--lease-duration` is `FAIRLEAD_LEASE_DURATION`. */
export function environmentTwinOf(name: OptionName): string {
  return `FAIRLEAD_${operatorOptions[name].flag.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * Reads the operator's configuration: command line first, then the environment, then defaults.
 *
 * @throws ConfigError that names every invalid option.
 */
export function readOperatorConfig(texts: OptionTexts, environment: NodeJS.ProcessEnv): OperatorConfig {
  const raw: Record<string, unknown> = {};
  const source = new Map<string, string>();
  for (const [name, spec] of Object.entries(operatorOptions) as [OptionName, OptionSpec][]) {
    const twin = environmentTwinOf(name);
    const fromEnvironment = environment[twin] === "" ? undefined : environment[twin];
    const given = texts[name] ?? (spec.repeatable ? fromEnvironment?.split(",") : fromEnvironment);
    source.set(name, texts[name] === undefined && fromEnvironment !== undefined ? twin : `--${spec.flag}`);
    const value = given ?? spec.fallback;
    if (value !== undefined) raw[name] = value;
  }
  const parsed = schema.safeParse(raw);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      ({ path, message }) => `${source.get(String(path[0]))}: ${message}`,
    );
    throw new ConfigError([...new Set(lines)].join("\n"));
  }
  const { leaseDuration, renewDeadline, retryPeriod, hookBindAddress, hookSecrets, zoneSockets } =
    parsed.data;
  // A source zone in another container has the secrets itself.
  if (hookBindAddress !== "0" && hookSecrets === undefined && zoneSockets === undefined)
    throw new ConfigError(
      `${source.get("hookBindAddress")}: needs --hook-secrets, the folder of the hooks' secrets`,
    );
  try {
    assertElectionTimes({
      leaseDurationMs: leaseDuration,
      renewDeadlineMs: renewDeadline,
      retryPeriodMs: retryPeriod,
    });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  return parsed.data;
}
