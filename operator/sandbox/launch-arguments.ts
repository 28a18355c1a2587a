/** A layer of isolation that the launcher can report and require. docs/sandbox.md describes each. */
export type Layer = (typeof layers)[number];

export const layers = ["no-new-privileges", "files", "tcp", "scopes", "seccomp"] as const;

/** Number of the descriptor of {@link LaunchRules.listen}. */
export const LISTENING = 3;

/**
 * Option of Node. Under isolation OpenSSL may not read its configuration file, and fails without one. Needs permission
 * to read /dev/null.
 */
export const noOpensslFile = "--openssl-config=/dev/null";

/** Permissions of a program that the launcher starts. Everything else is denied, as far as the kernel supports it. */
export interface LaunchRules {
  /** Files, and folders with all their content, that the program may read. */
  readonly read?: readonly string[];
  /** The same for reading, writing, creating and deleting. */
  readonly write?: readonly string[];
  /** Files that it may read and execute. */
  readonly execute?: readonly string[];
  /** TCP ports that it may connect to. Default: none. */
  readonly tcpConnect?: readonly number[] | "any";
  /** TCP ports that it may listen on; 0: one that the kernel chooses. Default: none. */
  readonly tcpListen?: readonly number[];
  /** Path of a Unix socket that the launcher creates, and that the program gets as descriptor {@link LISTENING}. */
  readonly listen?: string;
  /**
   * Profile of the system calls that it may make: for a program that only computes, for git, or for a process of a zone:
   * a reader of files, one that starts programs, one that starts git. Default: all system calls.
   */
  readonly seccomp?: "program" | "git" | "reader" | "programs" | "source";
  readonly limits?: Readonly<Partial<Record<LaunchLimit, number>>>;
  /** Its whole environment. It must not contain secrets, because command lines are visible: see `keepEnvironment`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it inherits the environment of the launcher. */
  readonly keepEnvironment?: boolean;
  /** User and group if root starts it. 0 keeps root, without its capabilities. Default: 65534. */
  readonly user?: number;
  /** User that its child processes may become, if root starts it. Default: none. */
  readonly childrenUser?: number;
  /** The launcher fails if one of these layers is not in force. */
  readonly require?: readonly Layer[];
}

/** Limits of setrlimit(2): bytes, seconds or counts. */
export type LaunchLimit = "memory-data" | "cpu-seconds" | "processes" | "file-size" | "open-files" | "core";

/** The launcher's arguments for a program with its own arguments. Pure. */
export function launchArguments(rules: LaunchRules, command: readonly string[]): string[] {
  return [...ruleArguments(rules), "--", ...command];
}

/** The arguments with which the launcher isolates itself and reports the layers. Pure. */
export function reportArguments(rules: LaunchRules): string[] {
  return [...ruleArguments(rules), "--report"];
}

function ruleArguments(rules: LaunchRules): string[] {
  const { read = [], write = [], execute = [], tcpConnect = [], tcpListen = [], require = [] } = rules;
  const { listen, seccomp, user, childrenUser } = rules;
  const ports = tcpConnect === "any" ? ["any"] : tcpConnect;
  return [
    ...read.map((path) => `--ro=${path}`),
    ...write.map((path) => `--rw=${path}`),
    ...execute.map((path) => `--exec=${path}`),
    ...ports.map((port) => `--tcp-connect=${port}`),
    ...tcpListen.map((port) => `--tcp-listen=${port}`),
    ...(listen === undefined ? [] : [`--listen=${listen}`]),
    ...(seccomp === undefined ? [] : [`--seccomp=${seccomp}`]),
    ...Object.entries(rules.limits ?? {}).map(([name, amount]) => `--${name}=${amount}`),
    ...Object.entries(rules.environment ?? {}).map(([name, value]) => `--env=${name}=${value}`),
    ...(rules.keepEnvironment === true ? ["--keep-env"] : []),
    ...(user === undefined ? [] : [`--user=${user}`]),
    ...(childrenUser === undefined ? [] : [`--children-user=${childrenUser}`]),
    ...(require.length === 0 ? [] : [`--require=${require.join(",")}`]),
  ];
}
