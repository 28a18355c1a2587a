import type { Chance } from "../faults/random.ts";

/** What a tenant may do in a namespace of its own and in its git repository. Names are of small pools, so that moves meet. */
export type Move =
  /** Applies an object in the tenant's namespace, with whatever marks. */
  | {
      readonly does: "plant";
      readonly kind: "ConfigMap" | "Secret";
      readonly name: string;
      readonly marks: Marks;
      readonly manager: "fairlead" | "tenant";
    }
  | { readonly does: "remove"; readonly kind: "ConfigMap" | "Secret"; readonly name: string }
  /** Writes a Release of the tenant's namespace. */
  | { readonly does: "release"; readonly name: string; readonly spec: ReleaseWish }
  | { readonly does: "leave"; readonly name: string }
  /** Merges metadata into a Release. */
  | { readonly does: "annotate"; readonly name: string; readonly annotation: string; readonly value: string }
  | { readonly does: "unhold"; readonly name: string }
  /** Tries to write the status: an inventory that names what is the other's. */
  | { readonly does: "forge"; readonly name: string; readonly subresource: boolean }
  /** Commits files into the tenant's repository. */
  | { readonly does: "commit"; readonly folder: string; readonly file: string; readonly content: Content };

/** Whose marks an object carries. `other` is the other tenant, `own` the tenant itself. */
export interface Marks {
  readonly set: "other" | "own" | "none";
  readonly release: string;
  readonly adoptBy: "short" | "long" | "none";
  readonly isHeld: boolean;
}

export interface ReleaseWish {
  readonly path: string;
  readonly source: "own" | "other";
  readonly account: "deployer" | "reader" | "ghost" | "none";
  readonly namespace: "other" | "own" | "none";
  readonly createNamespace: boolean;
  readonly deletionPolicy: "Delete" | "Orphan";
  readonly prune: boolean;
  readonly suspend: boolean;
  readonly dependsOn: "other" | "own" | "none";
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
const releaseNames = ["shop", "r1", "r2"] as const;
const folders = ["shop", "r1", "r2"] as const;
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
];

/** A random move. The same chance gives the same moves. */
export function makeMove(chance: Chance): Move {
  const dice = chance.next();
  const name = chance.pick(releaseNames);
  const kind = chance.pick(["ConfigMap", "Secret"] as const);
  if (dice < 0.28) {
    const manager = chance.pick(["fairlead", "fairlead", "tenant"] as const);
    return { does: "plant", kind, name: chance.pick(objectNames), marks: makeMarks(chance), manager };
  }
  if (dice < 0.36) return { does: "remove", kind, name: chance.pick(objectNames) };
  if (dice < 0.54) return { does: "release", name, spec: makeWish(chance) };
  if (dice < 0.62) return { does: "leave", name };
  if (dice < 0.72) {
    const [annotation, value] = chance.pick(annotations);
    return { does: "annotate", name, annotation, value: value.replace("{version}", String(chance.next())) };
  }
  if (dice < 0.75) return { does: "unhold", name };
  if (dice < 0.8) return { does: "forge", name, subresource: chance.isHit(0.7) };
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

function makeWish(chance: Chance): ReleaseWish {
  return {
    path: chance.pick(folders),
    source: chance.isHit(0.15) ? "other" : "own",
    account: chance.pick(["deployer", "deployer", "deployer", "reader", "ghost", "none"] as const),
    namespace: chance.pick(places),
    createNamespace: chance.isHit(0.2),
    deletionPolicy: chance.isHit(0.2) ? "Orphan" : "Delete",
    prune: chance.isHit(0.8),
    suspend: chance.isHit(0.1),
    dependsOn: chance.isHit(0.7) ? "none" : chance.pick(places),
  };
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
