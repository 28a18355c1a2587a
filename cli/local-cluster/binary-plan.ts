import { BINARY_NAMES, type BinaryName, moduleOf } from "./tool-modules.ts";

export type BinarySource = "KUBEBUILDER_ASSETS" | "cache" | "build" | "missing";

export interface PlanBinariesInput {
  readonly needed: readonly BinaryName[];
  /** Binaries in the folder of `KUBEBUILDER_ASSETS`. */
  readonly inAssets: ReadonlySet<BinaryName>;
  /** Names of the modules whose binaries are in the cache. */
  readonly cachedModules: ReadonlySet<string>;
  readonly canBuild: boolean;
}

/** Decides the origin of each binary: given ones first, then the cache, then a build. Pure. */
export function planBinaries(input: PlanBinariesInput): ReadonlyMap<BinaryName, BinarySource> {
  const plan = new Map<BinaryName, BinarySource>();
  for (const name of BINARY_NAMES) {
    if (input.needed.includes(name)) plan.set(name, sourceOf(name, input));
  }
  return plan;
}

function sourceOf(name: BinaryName, { inAssets, cachedModules, canBuild }: PlanBinariesInput): BinarySource {
  if (inAssets.has(name)) return "KUBEBUILDER_ASSETS";
  if (cachedModules.has(moduleOf(name).name)) return "cache";
  return canBuild ? "build" : "missing";
}

/** No cluster can be started: names the missing binaries and the command that provides them. */
export class BinariesMissingError extends Error {
  override readonly name = "BinariesMissingError";
  readonly missing: readonly BinaryName[];

  constructor(missing: readonly BinaryName[], goVersion: string | undefined) {
    const found =
      goVersion === undefined ? "there is no Go on the PATH" : `the Go on the PATH is ${goVersion}`;
    super(
      `Cannot start a local cluster: no ${missing.join(", no ")}, and ${found}, so they cannot be built\n` +
        "Either install Go 1.26 or later and run this again: it builds them once, in 6 to 16 minutes.\n" +
        'Or get ready ones and name them: export KUBEBUILDER_ASSETS="$(setup-envtest use -p path)"\n' +
        "Or use a cluster you have: export KUBECONFIG=<its kubeconfig>",
    );
    this.missing = missing;
  }
}
