import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { nodeEnvironment } from "../../cli/image/node-flags.ts";
import { implementationCrd } from "./cell/bundle.ts";
import { programFile } from "./cell/programs.ts";

/** The measured operators: ours with a local bare repository, ours without one, and the tuned Go operator. */
export const implementationNames = ["fairlead", "fairlead-without-git", "podset-go"] as const;

export type ImplementationName = (typeof implementationNames)[number];

export interface PrepareImplementationOptions {
  /** Run directory of the control plane. The files of the implementation are in it, and are removed with it. */
  readonly runDirectory: string;
  readonly bundlePath: string;
  readonly podsetGoPath: string;
  /** Whether to count git commands and measure synchronous slices. This takes CPU time, so the round is not measured. */
  readonly diagnose: boolean;
  /** Folder for CPU profiles of ours. Undefined: none are written. */
  readonly profileDirectory: string | undefined;
  /** Flags of Node for ours. */
  readonly nodeFlags: readonly string[];
}

/** The input of the driver for one implementation. */
export interface PreparedImplementation {
  readonly driverArguments: readonly string[];
  /** The file for slices, for a diagnosis of ours. */
  readonly slicesFile: string | undefined;
}

/** Writes the files of an implementation, and composes the driver's arguments for it. */
export async function prepareImplementation(
  name: ImplementationName,
  options: PrepareImplementationOptions,
): Promise<PreparedImplementation> {
  return name === "podset-go" ? preparePodsetGo(options) : prepareFairlead(name, options);
}

function preparePodsetGo({ podsetGoPath }: PrepareImplementationOptions): PreparedImplementation {
  const command = [
    podsetGoPath,
    "--mode=tuned",
    "--children=configmaps",
    "--kubeconfig={kubeconfig}",
    "--metrics-bind-address=127.0.0.1:{port}",
  ];
  return {
    driverArguments: [
      ...["--crd", programFile("podset-go", "crd.yaml"), "--cr", programFile("driver", "podset.yaml")],
      ...[
        "--plural",
        "podsets",
        "--lease",
        "default/podset-go.jicki.cn",
        "--operator",
        JSON.stringify(command),
      ],
    ],
    slicesFile: undefined,
  };
}

async function prepareFairlead(
  name: ImplementationName,
  { runDirectory, bundlePath, diagnose, profileDirectory, nodeFlags }: PrepareImplementationOptions,
): Promise<PreparedImplementation> {
  const folder = join(runDirectory, "implementation");
  await mkdir(folder);
  const crdPath = join(folder, "crd.json");
  const resourcePath = join(folder, "resource.json");
  await writeFile(crdPath, implementationCrd());
  await writeFile(
    resourcePath,
    JSON.stringify({ apiVersion: "bench.fairlead.dev/v1alpha1", kind: "BenchSet", spec: { size: 3 } }),
  );
  const publishing = name === "fairlead" ? await prepareRepository(folder) : { operator: [], driver: [] };
  const slicesFile = diagnose ? join(folder, "slices.jsonl") : undefined;
  const command = [
    process.execPath,
    ...nodeFlags,
    ...(profileDirectory === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileDirectory}`]),
    bundlePath,
    "--kubeconfig={kubeconfig}",
    "--leader-elect",
    "--leader-elect-namespace=default",
    "--metrics-bind-address=127.0.0.1:{port}",
    "--health-probe-bind-address=0",
    ...publishing.operator,
  ];
  return {
    driverArguments: [
      ...["--crd", crdPath, "--cr", resourcePath, "--plural", "benchsets", "--lease", "default/fairlead"],
      ...["--operator", JSON.stringify(command)],
      ...Object.entries(nodeEnvironment).flatMap((variable) => ["--operator-env", variable.join("=")]),
      ...publishing.driver,
      ...(slicesFile === undefined ? [] : ["--operator-env", `BENCH_SLICES=${slicesFile}`]),
      ...(diagnose && name === "fairlead" ? await countGit(folder) : []),
    ],
    slicesFile,
  };
}

/** Creates an empty bare repository beside the control plane. */
async function prepareRepository(folder: string): Promise<Readonly<Record<"operator" | "driver", string[]>>> {
  const repository = join(folder, "repository.git");
  await promisify(execFile)("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  return {
    operator: [
      `--repository=file://${repository}`,
      "--repository-path=clusters/bench",
      // In a failover, the two instances run on two machines, so each has its own clone.
      `--repository-cache=${join(folder, "cache-{i}")}`,
    ],
    driver: ["--repository", repository],
  };
}

/** Puts a `git` on the operator's PATH that records the name of every command and then runs git. */
async function countGit(folder: string): Promise<string[]> {
  const { stdout: git } = await promisify(execFile)("sh", ["-c", "command -v git"]);
  const log = join(folder, "git-commands");
  const bin = join(folder, "bin");
  await mkdir(bin);
  // Options such as `-c key=value` may precede the command.
  const script = [
    "#!/bin/sh",
    'for word in "$@"; do case "$word" in -*|*=*|/*) ;; *) break ;; esac; done',
    `echo "$word" >> '${log}'`,
    `exec ${git.trim()} "$@"`,
  ];
  await writeFile(join(bin, "git"), `${script.join("\n")}\n`);
  await chmod(join(bin, "git"), 0o755);
  return ["--git-log", log, "--operator-env", `PATH=${bin}${delimiter}${process.env["PATH"] ?? ""}`];
}
