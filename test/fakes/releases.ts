import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { ReleaseResource } from "../../crds/release.ts";
import { Release } from "../../crds/release.ts";
import type { ReleaseRule } from "../../crds/release-policy.ts";
import type { KindCatalog } from "../../operator/cluster/found-kinds/ports.ts";
import type { Limits, Platform, SelectedRules } from "../../operator/desire/release/limits.ts";
import { prepareManifests } from "../../operator/desire/release/prepare-manifests.ts";
import type { DesiredSet, OwnedObject } from "../../operator/engine/desired-set.ts";
import type { SourceCommit, SourceRevision } from "../../operator/git/source/ports.ts";
import type { Rendered } from "../../operator/render/ports.ts";
import { idOf, type Manifest } from "../../synth/manifest.ts";

export interface ReleaseOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly generation?: number;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly spec?: Record<string, unknown>;
  readonly status?: ReleaseResource["status"];
}

/** A Release `shop/web` of a folder; `spec` overrides the defaults. */
export function aRelease(options: ReleaseOptions = {}): ReleaseResource {
  const { name = "web", namespace = "shop", generation = 1, labels, annotations, spec, status } = options;
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: {
      name,
      namespace,
      uid: `uid-of-${namespace}-${name}`,
      resourceVersion: "1",
      generation,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    ours: false,
    spec: Release.spec.parse({
      source: { url: "https://git.example/shop.git" },
      render: { manifests: {} },
      ...spec,
    }) as ReleaseResource["spec"],
    ...(status && { status }),
  };
}

const plurals: Readonly<Record<string, [plural: string, namespaced: boolean]>> = {
  "v1/ConfigMap": ["configmaps", true],
  "v1/Namespace": ["namespaces", false],
  "v1/PersistentVolumeClaim": ["persistentvolumeclaims", true],
  "v1/Secret": ["secrets", true],
  "v1/Service": ["services", true],
  "v1/ServiceAccount": ["serviceaccounts", true],
  "apps/v1/Deployment": ["deployments", true],
  "apps/v1/StatefulSet": ["statefulsets", true],
  "batch/v1/Job": ["jobs", true],
  "networking.k8s.io/v1/Ingress": ["ingresses", true],
  "storage.k8s.io/v1/StorageClass": ["storageclasses", false],
  "rbac.authorization.k8s.io/v1/ClusterRole": ["clusterroles", false],
  "fairlead.dev/v1alpha1/Release": ["releases", true],
  "apiextensions.k8s.io/v1/CustomResourceDefinition": ["customresourcedefinitions", false],
  "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration": [
    "validatingwebhookconfigurations",
    false,
  ],
};

/** A cluster's kinds: the shipped ones, and `more` by `apiVersion/Kind`. */
export function aCatalog(more: Readonly<Record<string, ObjectKind>> = {}): Pick<KindCatalog, "find"> {
  const known = new Map<string, ObjectKind>(Object.entries(more));
  for (const [key, [plural, namespaced]] of Object.entries(plurals)) {
    const [kind = "", version = "", group = ""] = key.split("/").toReversed();
    known.set(key, { group, version, kind, plural, namespaced });
  }
  return { find: (apiVersion, kind) => known.get(`${apiVersion}/${kind}`) };
}

/** A manifest of any kind, as in a folder. */
export function aSourceManifest(
  apiVersion: string,
  kind: string,
  name: string,
  more: {
    readonly namespace?: string;
    readonly fields?: Record<string, unknown>;
    readonly labels?: Record<string, string>;
  } = {},
): Manifest {
  const { namespace, fields, labels } = more;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(labels && { labels }) },
    ...fields,
  };
}

/** A renderer's result for these manifests; each comes from a file of its own. */
export function asRendered(
  manifests: readonly Manifest[],
  dependencies: Readonly<Record<number, readonly number[]>> = {},
): Rendered {
  return {
    manifests,
    origins: manifests.map((_, index) => `file-${index}.yaml:1`),
    dependencies: new Map(Object.entries(dependencies).map(([index, needs]) => [Number(index), needs])),
    digest: "rendered",
  };
}

/** DesiredSet as for {@link aRelease}. */
export function asPrepared(
  manifests: readonly Manifest[],
  dependencies: Readonly<Record<number, readonly number[]>> = {},
  release: ReleaseResource = aRelease(),
): DesiredSet {
  return prepareManifests(asRendered(manifests, dependencies), release, aCatalog());
}

/** The object of a prepared manifest. */
export function asOwned(manifest: Manifest, overrides: Partial<LiveObject["metadata"]> = {}): OwnedObject {
  const id = idOf(manifest);
  const metadata = { uid: `uid-of-${id}`, resourceVersion: "1", ...manifest.metadata, ...overrides };
  const live: LiveObject = { ...structuredClone(manifest), metadata, ours: true };
  const kind = aCatalog().find(manifest.apiVersion, manifest.kind);
  return {
    id,
    live,
    kind: kind ?? { group: "", version: "v1", kind: manifest.kind, plural: "things", namespaced: true },
  };
}

/** A platform with the same permissions for every Release. */
export function aPlatform(select: () => SelectedRules): Platform {
  return { select, olderThan: () => 0, allowsLocal: true };
}

/** Limits of these rules, named `rule 1` and so on. */
export function limitsOf(...rules: readonly ReleaseRule[]): Limits {
  return rules.map((rule, index) => ({ from: `rule ${index + 1}`, rule }));
}

/** A commit whose id repeats one digit. */
export function aCommit(digit: string, subject = `Commit ${digit}`): SourceCommit {
  return { id: digit.repeat(40), author: "Ann", subject, committedAt: "2026-11-21T12:00:00Z" };
}

/** The revision of such a commit; `tree` is the commit that changed it last. */
export function aRevision(digit: string, tree = `tree-${digit}`): SourceRevision {
  const head = aCommit(digit);
  const changed = tree === `tree-${digit}` ? head : aCommit(tree.replace("tree-", ""));
  const files = { list: async () => ({ files: [], refused: [] }), read: async () => new Map() };
  const authorsOf = async () => ({ authors: [] });
  return { head, changed, tree, repositoryId: "t", lastChangeOf: async () => head, authorsOf, files };
}
