import type { GitCredentials } from "./credentials.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface GitEnvironmentInput {
  /** Our own folder: git must not find anybody's configuration in it. */
  readonly home: string;
  /** What the operator's environment may add: see {@link passedOn}. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly protocol: RemoteUrl["protocol"];
  readonly credentials?: GitCredentials;
  /** Settings of git beside those of all processes. */
  readonly settings?: GitCredentials["settings"];
}

/** The only variables that come from outside: where programs are, and how the network is reached. */
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
 * The whole environment of one git process: nothing of the user's or the system's configuration, no prompt, no hook,
 * no gc, one protocol. Settings travel in `GIT_CONFIG_*`, where no process list shows them.
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
    // It is a cache: what a power cut takes is fetched again.
    ["core.fsync", "none"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["credential.helper", ""],
    ["protocol.allow", "never"],
    [`protocol.${protocol}.allow`, "always"],
    // git sends our header along with what it posts to another host (tried with 2.39), also with "initial".
    ["http.followRedirects", "false"],
    ["fetch.recurseSubmodules", "false"],
    // One pack per commit: under 100 objects it would start one more process to write loose files.
    ["fastimport.unpackLimit", "1"],
    // The same for what comes in: the clone's size is what its packs have.
    ["fetch.unpackLimit", "1"],
    // What we push is small and new: searching for deltas costs more than it saves (measured: 35 ms → 29 ms).
    ["pack.window", "0"],
    ["pack.threads", "1"],
    // Half of what is new under ten thousand folders are hashes, which nothing makes smaller.
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
    // Without these two glibc gives memory back and asks for it again for every object: a fast-import of
    // 360 files took 36 ms of CPU, and takes 8 ms. Other C libraries ignore them.
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

/** What git needs of the operator's environment. */
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
