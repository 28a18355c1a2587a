/** A layer of walls that the launcher can report and require. docs/sandbox.md says what each does. */
export type Layer = (typeof layers)[number];

export const layers = ["no-new-privileges", "files", "tcp", "scopes", "seccomp"] as const;

/** Number of the descriptor of {@link LaunchRules.listen}. */
export const LISTENING = 3;

/** Option of Node. Behind walls OpenSSL may not read its configuration, and insists on it. Needs a right to read /dev/null. */
export const noOpensslFile = "--openssl-config=/dev/null";

/** Permissions of a program behind the launcher. Everything else is refused, as far as the kernel can. */
export interface LaunchRules {
  /** Files, and folders with all that is below them, that the program may read. */
  readonly read?: readonly string[];
  /** The same, where it may also write, create and delete. */
  readonly write?: readonly string[];
  /** Files that it may read and execute. */
  readonly execute?: readonly string[];
  /** TCP ports that it may connect to. Default: none. */
  readonly tcpConnect?: readonly number[] | "any";
  /** TCP ports that it may listen on; 0: one that the kernel chooses. Default: none. */
  readonly tcpListen?: readonly number[];
  /** Path of a Unix socket that the launcher makes, and the program gets as descriptor {@link LISTENING}. */
  readonly listen?: string;
  /**
   * System calls that it may make: a program that only computes, git, or a process of a zone: a reader of files, one that
   * starts programs, one that starts git. Default: all.
   */
  readonly seccomp?: "program" | "git" | "reader" | "programs" | "source";
  readonly limits?: Readonly<Partial<Record<LaunchLimit, number>>>;
  /** Its whole environment. What is secret must not be in it, because a command line is no secret: see `keepEnvironment`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it gets the environment that the launcher is started with. */
  readonly keepEnvironment?: boolean;
  /** User and group when root starts it. 0 stays root, without its capabilities. Default: 65534. */
  readonly user?: number;
  /** User that the processes which it starts may become, where root starts it. Default: none. */
  readonly childrenUser?: number;
  /** The launcher fails if one of these is not in force. */
  readonly require?: readonly Layer[];
}

/** Limits of setrlimit(2): bytes, seconds or counts. */
export type LaunchLimit = "memory-data" | "cpu-seconds" | "processes" | "file-size" | "open-files" | "core";

/** The launcher's arguments for a program with its own arguments. Pure. */
export function launchArguments(rules: LaunchRules, command: readonly string[]): string[] {
  return [...ruleArguments(rules), "--", ...command];
}

/** The arguments that have the launcher build these walls around itself, and report them. Pure. */
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
