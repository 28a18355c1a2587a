import type { GitCredentials } from "./credentials.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface GitEnvironmentInput {
  /** A folder of the operator: git must not read any other configuration from it. */
  readonly home: string;
  /** Variables that are passed on from the operator's environment: see {@link passedOn}. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly protocol: RemoteUrl["protocol"];
  readonly credentials?: GitCredentials;
  /** Settings of git in addition to those that all processes have. */
  readonly settings?: GitCredentials["settings"];
}

/** The only variables that are passed on: the path of programs, and the network settings. */
export const passedOn: readonly string[] = [
  "PATH",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "ALL_PROXY",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "TMPDIR",
];

/**
 * The whole environment of one git process: no configuration of the user or the system, no prompt, no hook, no gc, one
 * protocol. Settings are passed in `GIT_CONFIG_*`, because process lists do not show these variables.
 */
export function gitEnvironment({
  home,
  environment,
  protocol,
  credentials,
  settings: more = [],
}: GitEnvironmentInput): Record<string, string> {
  const settings: (readonly [string, string])[] = [
    ["core.hooksPath", "/dev/null"],
    // The clone is a cache: after a power failure the data is fetched again.
    ["core.fsync", "none"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["credential.helper", ""],
    ["protocol.allow", "never"],
    [`protocol.${protocol}.allow`, "always"],
    // After a redirect, git sends our header with a POST to another host (tested with 2.39), also with "initial".
    ["http.followRedirects", "false"],
    ["fetch.recurseSubmodules", "false"],
    // One pack per commit: with fewer than 100 objects git would start another process to write loose objects.
    ["fastimport.unpackLimit", "1"],
    // The same for received objects: the size of the clone is computed from its packs.
    ["fetch.unpackLimit", "1"],
    // A push is small and mostly new data: searching for deltas costs more than it saves (measured: 35 ms → 29 ms).
    ["pack.window", "0"],
    ["pack.threads", "1"],
    // With ten thousand folders, half of the new data is hashes, which cannot be compressed.
    ["pack.compression", "1"],
    ...(credentials?.settings ?? []),
    ...more,
  ];
  const result: Record<string, string> = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_LITERAL_PATHSPECS: "1",
    // Without these two settings glibc returns memory to the kernel and requests it again for every object: a
    // fast-import of 360 files took 36 ms of CPU, and takes 8 ms with them. Other C libraries ignore them.
    MALLOC_TRIM_THRESHOLD_: "268435456",
    MALLOC_TOP_PAD_: "1048576",
    GIT_CONFIG_COUNT: String(settings.length),
  };
  Object.assign(result, variablesForGit(environment));
  for (const [index, [key, value]] of settings.entries()) {
    result[`GIT_CONFIG_KEY_${index}`] = key;
    result[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  if (credentials?.sshCommand !== undefined) {
    result["GIT_SSH_COMMAND"] = credentials.sshCommand;
    result["GIT_SSH_VARIANT"] = "ssh";
  }
  return result;
}

/** The variables of the operator's environment that git needs. */
export function variablesForGit(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const name of passedOn) {
    const value = environment[name];
    if (value !== undefined && value !== "") variables[name] = value;
  }
  return variables;
}
