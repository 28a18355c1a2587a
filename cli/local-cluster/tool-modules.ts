import { createHash } from "node:crypto";

export const BINARY_NAMES = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
  "kwok",
  "kubelet",
] as const;

export type BinaryName = (typeof BINARY_NAMES)[number];

/** A Go module under `modules/` that pins the sources of some binaries. */
export interface ToolModule {
  readonly name: string;
  /** The module whose version becomes the version of the binaries. */
  readonly source: string;
  /** The package of each binary. */
  readonly packages: Readonly<Partial<Record<BinaryName, string>>>;
  readonly buildFlags: readonly string[];
  /**
   * The Go packages that receive the version at link time; without it, `/version` returns a placeholder that clients
   * reject.
   */
  readonly stampedPackages: readonly string[];
}

const COMMON_FLAGS = ["-trimpath", "-buildvcs=false"];
const KUBERNETES_FLAGS = [...COMMON_FLAGS, "-tags", "selinux,notest,grpcnotrace", "-pgo=off"];
const KUBERNETES_STAMPS = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];

/**
 * Several modules instead of one: a common version selection would change each module's dependencies from the tested
 * versions. Besides, a kubelet (which the end-to-end test needs for a real node) should not be built for a local
 * cluster.
 */
export const TOOL_MODULES: readonly ToolModule[] = [
  {
    name: "etcd",
    source: "go.etcd.io/etcd/server/v3",
    packages: { etcd: "go.etcd.io/etcd/server/v3" },
    buildFlags: COMMON_FLAGS,
    stampedPackages: [],
  },
  {
    name: "kwok",
    source: "sigs.k8s.io/kwok",
    packages: { kwok: "sigs.k8s.io/kwok/cmd/kwok" },
    buildFlags: COMMON_FLAGS,
    stampedPackages: [],
  },
  {
    name: "kubernetes",
    source: "k8s.io/kubernetes",
    packages: {
      "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
      "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
      "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
      kubectl: "k8s.io/kubernetes/cmd/kubectl",
    },
    buildFlags: KUBERNETES_FLAGS,
    stampedPackages: KUBERNETES_STAMPS,
  },
  {
    name: "kubelet",
    source: "k8s.io/kubernetes",
    packages: { kubelet: "k8s.io/kubernetes/cmd/kubelet" },
    buildFlags: KUBERNETES_FLAGS,
    stampedPackages: KUBERNETES_STAMPS,
  },
];

/** The binaries a module builds. */
export function binariesOf(module: ToolModule): BinaryName[] {
  return BINARY_NAMES.filter((name) => module.packages[name] !== undefined);
}

/** The module that builds a binary. */
export function moduleOf(binary: BinaryName): ToolModule {
  const module = TOOL_MODULES.find(({ packages }) => packages[binary] !== undefined);
  if (module === undefined) throw new Error(`Cannot build "${binary}": no module lists it`);
  return module;
}

/**
 * Reads the pinned version of a module's source from its go.mod. Pure.
 *
 * @throws If go.mod does not require the source.
 */
export function pinnedVersion(module: ToolModule, goMod: string): string {
  const line = goMod.split("\n").find((text) => text.trim().startsWith(`${module.source} v`));
  const version = line?.trim().split(/\s+/)[1];
  if (version === undefined)
    throw new Error(`Cannot read the version of "${module.source}": go.mod lacks it`);
  return version;
}

/** The arguments of `go` that build all binaries of a module into a folder. Pure. */
export function goBuildArguments(module: ToolModule, version: string, outputDirectory: string): string[] {
  const [major = "", minor = ""] = version.replace(/^v/, "").split(".");
  const stamps = module.stampedPackages.flatMap((path) => [
    `-X ${path}.gitVersion=${version}`,
    `-X ${path}.gitMajor=${major}`,
    `-X ${path}.gitMinor=${minor}`,
    `-X ${path}.gitCommit=unknown`,
    `-X ${path}.gitTreeState=clean`,
    // A constant, so that the same sources produce the same bytes.
    `-X ${path}.buildDate=2026-11-21T00:00:00Z`,
  ]);
  const binaries = binariesOf(module);
  const packages = binaries.flatMap((name) => module.packages[name] ?? []);
  // The binary of a package at the root of a module is named after the folder, so its name is set explicitly.
  const output = binaries.length === 1 ? `${outputDirectory}/${binaries[0]}` : `${outputDirectory}/`;
  return [
    "build",
    "-v",
    ...module.buildFlags,
    "-ldflags",
    ["-s -w", ...stamps].join(" "),
    "-o",
    output,
    ...packages,
  ];
}

export interface CacheKeyInput {
  readonly module: ToolModule;
  readonly goMod: string;
  readonly goSum: string;
  readonly platform: string;
  readonly arch: string;
}

/**
 * The folder name of a module's binaries in the cache: it changes with versions, platform, checksums and build flags.
 * Pure.
 */
export function cacheKey({ module, goMod, goSum, platform, arch }: CacheKeyInput): string {
  const version = pinnedVersion(module, goMod);
  const recipe = goBuildArguments(module, version, "").join("\n");
  const hash = createHash("sha256").update(goMod).update(goSum).update(recipe).digest("hex").slice(0, 12);
  return `${module.name}-${version}-${platform}-${arch}-${hash}`;
}
