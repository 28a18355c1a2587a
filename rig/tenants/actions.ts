import type { Chance } from "../faults/random.ts";

/** Actions of a tenant in its own namespace and in its git repository. Names come from small pools, so that actions collide. */
export type Action =
  /** Applies an object in the tenant's namespace, with any marks. */
  | {
      readonly does: "plant";
      readonly kind: "ConfigMap" | "Secret";
      readonly name: string;
      readonly marks: Marks;
      readonly manager: "fairlead" | "tenant";
    }
  | { readonly does: "remove"; readonly kind: "ConfigMap" | "Secret"; readonly name: string }
  /** Writes a Release of the tenant's namespace. */
  | { readonly does: "release"; readonly name: string; readonly spec: RequestedRelease }
  | { readonly does: "leave"; readonly name: string }
  /** Requests another location for the publication of a Release. */
  | { readonly does: "publish"; readonly name: string; readonly place: RequestedPublication }
  /** Merges metadata into a Release. */
  | { readonly does: "annotate"; readonly name: string; readonly annotation: string; readonly value: string }
  | { readonly does: "unhold"; readonly name: string }
  /** Tries to write a status with an inventory that names objects of the other tenant. */
  | { readonly does: "forge"; readonly name: string; readonly subresource: boolean }
  /** Commits files into the tenant's repository. */
  | { readonly does: "commit"; readonly folder: string; readonly file: string; readonly content: Content };

/** The tenant whose marks an object carries: `other` is the other tenant, `own` the tenant itself. */
export interface Marks {
  readonly set: "other" | "own" | "none";
  readonly release: string;
  readonly adoptBy: "short" | "long" | "none";
  readonly isHeld: boolean;
}

export interface RequestedRelease {
  readonly path: string;
  readonly source: "own" | "other";
  readonly account: "deployer" | "reader" | "missing" | "none";
  readonly namespace: "other" | "own" | "none";
  readonly createNamespace: boolean;
  readonly deletionPolicy: "Delete" | "Orphan";
  readonly prune: boolean;
  readonly suspend: boolean;
  readonly dependsOn: "other" | "own" | "none";
  /** A program of the tenant's repository; undefined: the folder's manifests. */
  readonly program: Program | undefined;
  /** Makes the program input of each request different, so that it is rendered again. */
  readonly input: number;
  readonly publish: RequestedPublication | undefined;
}

export type Program = "quick" | "slow" | "endless" | "throwing";

/** A location for publication. `own` and `other` are locations that the platform may allow to a tenant. */
export interface RequestedPublication {
  readonly branch: "main" | "own" | "beside" | "other" | "free" | "none";
  readonly path: "root" | "own" | "below" | "other" | "others-folder" | "up" | "odd" | "workflows" | "none";
}

export interface Content {
  readonly kind:
    | "ConfigMap"
    | "Secret"
    | "Release"
    | "Namespace"
    | "ClusterRole"
    | "EasyService"
    | "broken"
    | "gone";
  readonly name: string;
  readonly namespace: "other" | "own" | "none";
  readonly marks: Marks;
  readonly version: number;
}

/** Names that the other tenant uses as well, and some that it does not. */
export const objectNames = ["web", "two", "three", "extra"] as const;
export const releaseNames = ["shop", "r1", "r2"] as const;
export const folders = ["shop", "r1", "r2"] as const;
const files = ["a.json", "b.json"] as const;
const places = ["other", "own", "none"] as const;

const annotations: readonly (readonly [string, string])[] = [
  ["applyset.kubernetes.io/contains-group-kinds", "ConfigMap,Secret,Namespace,Deployment.apps"],
  ["applyset.kubernetes.io/additional-namespaces", "{other}"],
  ["applyset.kubernetes.io/tooling", "kubectl/v1.37"],
  ["applyset.kubernetes.io/tooling", "fairlead/v1"],
  ["fairlead.dev/requested-at", "{version}"],
  ["fairlead.dev/approve-prune", "{head}"],
  ["fairlead.dev/allow-dependents", "*"],
  ["fairlead.dev/adopt-by", "release/{other}/shop"],
  // A first record with a seal of the right length, and without one.
  ["fairlead.dev/recorded-objects", `${"A".repeat(43)} ["/ConfigMap/{other}/web","/Secret/{other}/two"]`],
  ["fairlead.dev/recorded-objects", '["/ConfigMap/{other}/web","/Secret/{other}/two"]'],
];

/** A random action. The same seed gives the same actions. */
export function makeAction(chance: Chance): Action {
  const share = chance.next();
  const name = chance.pick(releaseNames);
  const kind = chance.pick(["ConfigMap", "Secret"] as const);
  if (share < 0.22) {
    const manager = chance.pick(["fairlead", "fairlead", "tenant"] as const);
    return { does: "plant", kind, name: chance.pick(objectNames), marks: makeMarks(chance), manager };
  }
  if (share < 0.28) return { does: "remove", kind, name: chance.pick(objectNames) };
  if (share < 0.38) return { does: "publish", name, place: makePublish(chance) };
  if (share < 0.56) return { does: "release", name, spec: makeRelease(chance) };
  if (share < 0.62) return { does: "leave", name };
  if (share < 0.72) {
    const [annotation, value] = chance.pick(annotations);
    return { does: "annotate", name, annotation, value: value.replace("{version}", String(chance.next())) };
  }
  if (share < 0.75) return { does: "unhold", name };
  if (share < 0.8) return { does: "forge", name, subresource: chance.isHit(0.7) };
  const content = makeContent(chance);
  return { does: "commit", folder: chance.pick(folders), file: chance.pick(files), content };
}

function makeMarks(chance: Chance): Marks {
  return {
    set: chance.pick(["other", "other", "own", "none"] as const),
    release: chance.pick(releaseNames),
    adoptBy: chance.pick(["short", "long", "none", "none"] as const),
    isHeld: chance.isHit(0.2),
  };
}

function makeRelease(chance: Chance): RequestedRelease {
  return {
    path: chance.pick(folders),
    source: chance.isHit(0.15) ? "other" : "own",
    account: chance.pick(["deployer", "deployer", "deployer", "reader", "missing", "none"] as const),
    namespace: chance.pick(["none", "none", "own", "other"] as const),
    createNamespace: chance.isHit(0.2),
    deletionPolicy: chance.isHit(0.2) ? "Orphan" : "Delete",
    prune: chance.isHit(0.8),
    suspend: chance.isHit(0.1),
    dependsOn: chance.isHit(0.7) ? "none" : chance.pick(places),
    program: chance.isHit(0.6)
      ? undefined
      : chance.pick(["quick", "quick", "slow", "endless", "throwing"] as const),
    input: chance.between(0, 99),
    publish: chance.isHit(0.4) ? undefined : makePublish(chance),
  };
}

function makePublish(chance: Chance): RequestedPublication {
  const branches = ["main", "own", "own", "beside", "other", "free", "none", "none"] as const;
  const paths = [
    "root",
    "own",
    "own",
    "below",
    "other",
    "others-folder",
    "up",
    "odd",
    "workflows",
    "none",
  ] as const;
  return { branch: chance.pick(branches), path: chance.pick(paths) };
}

function makeContent(chance: Chance): Content {
  return {
    kind: chance.pick([
      ...(["ConfigMap", "ConfigMap", "ConfigMap", "Secret", "Release", "Namespace"] as const),
      ...(["ClusterRole", "EasyService", "broken", "gone", "gone"] as const),
    ]),
    name: chance.pick(objectNames),
    namespace: chance.pick(places),
    marks: makeMarks(chance),
    version: chance.between(0, 9),
  };
}
