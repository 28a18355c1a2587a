import {
  ConfigMap,
  Deployment,
  NetworkPolicy,
  Role,
  Service,
  ServiceAccount,
} from "../../../crds/core-kinds.ts";
import { apiVersionOf, type ObjectKind } from "../../../crds/object.ts";
import { sharedGroup, stampIn } from "../../../test/cluster/stamp-kind.ts";
import {
  type Action,
  type DeployedKind,
  type DeployedObject,
  makeObjects,
  type ReleaseName,
} from "./points.ts";

/** The namespaces of objects. */
export interface Places {
  readonly own: string;
  readonly elsewhere: string;
}

const coreKind = (kind: string, plural: string): ObjectKind => ({
  ...{ group: "", version: "v1", kind, plural, namespaced: true },
});

export const deployedKinds: Readonly<Record<DeployedKind, ObjectKind>> = {
  ConfigMap,
  Deployment,
  LimitRange: coreKind("LimitRange", "limitranges"),
  NetworkPolicy,
  PodTemplate: coreKind("PodTemplate", "podtemplates"),
  Role,
  Service,
  ServiceAccount,
  Stamp: stampIn(sharedGroup).definition,
};

/** The user's intent: the folders of the repository, and which of them a Release deploys. */
export class DesiredReleases {
  readonly folders = new Map<ReleaseName, readonly DeployedObject[]>();
  readonly releases = new Set<ReleaseName>();
  /** Increases with every change, and is written into every object. */
  readonly versions = new Map<ReleaseName, number>();
  #version = 1_000;

  /** Applies an action. Returns the actual action: a missing Release can only be filled. */
  change(action: Action): Action["does"] {
    const { release } = action;
    const does = this.releases.has(release) ? action.does : "fill";
    if (does === "delete") this.releases.delete(release);
    else {
      this.releases.add(release);
      this.#changeFolder(does, action);
    }
    return does;
  }

  #changeFolder(does: Action["does"], { release, choice }: Action): void {
    const now = this.folders.get(release);
    if (now === undefined || does === "replace") this.#set(release, unique(makeObjects(release, choice)));
    else if (does === "prune")
      // Never remove all objects: an empty folder is rejected, so no object would be deleted.
      this.#set(
        release,
        now.filter((_, index) => index % 2 === choice % 2 || now.length === 1),
      );
    else if (does === "edit") this.#set(release, now);
    else if (does === "fill")
      this.#set(release, unique([...now, ...makeObjects(release, choice)].slice(0, 10)));
  }

  /** The files of a folder. */
  filesOf(release: ReleaseName, places: Places): Readonly<Record<string, string>> {
    const version = this.versions.get(release) ?? 0;
    const files = (this.folders.get(release) ?? []).map((object): [string, string] => [
      `${release}/${object.kind.toLowerCase()}-${object.name}${object.isElsewhere ? "-elsewhere" : ""}.json`,
      `${JSON.stringify(manifestOf(object, version, places), undefined, 2)}\n`,
    ]);
    return Object.fromEntries(files);
  }

  /** Every object that must exist, by kind, namespace and name, with its version. */
  expected(places: Places): ReadonlyMap<string, { readonly version: number; readonly release: ReleaseName }> {
    const expected = new Map<string, { version: number; release: ReleaseName }>();
    for (const release of this.releases)
      for (const object of this.folders.get(release) ?? [])
        expected.set(keyOf(object.kind, namespaceOf(object, places), object.name), {
          version: this.versions.get(release) ?? 0,
          release,
        });
    return expected;
  }

  #set(release: ReleaseName, objects: readonly DeployedObject[]): void {
    this.#version += 1;
    this.versions.set(release, this.#version);
    this.folders.set(release, objects);
  }
}

export const keyOf = (kind: string, namespace: string, name: string): string =>
  `${kind}/${namespace}/${name}`;

function namespaceOf({ isElsewhere }: DeployedObject, { own, elsewhere }: Places): string {
  return isElsewhere ? elsewhere : own;
}

function unique(objects: readonly DeployedObject[]): readonly DeployedObject[] {
  return [...new Map(objects.map((one) => [`${one.kind} ${one.name} ${one.isElsewhere}`, one])).values()];
}

function manifestOf(object: DeployedObject, version: number, places: Places): object {
  const { kind, name } = object;
  const labels = { app: name };
  const metadata = {
    name,
    namespace: namespaceOf(object, places),
    annotations: { "tests.fairlead.dev/version": String(version) },
  };
  const head = { apiVersion: apiVersionOf(deployedKinds[kind]), kind, metadata };
  const containers = [{ name: "web", image: `nginx:v${version}` }];
  const template = { metadata: { labels }, spec: { containers } };
  switch (kind) {
    case "ConfigMap":
      return { ...head, data: { version: String(version) } };
    case "ServiceAccount":
      return head;
    case "Role":
      return { ...head, rules: [] };
    case "LimitRange":
      return { ...head, spec: { limits: [{ type: "Pod", max: { cpu: `${version}` } }] } };
    case "NetworkPolicy":
      return { ...head, spec: { podSelector: { matchLabels: labels }, policyTypes: ["Ingress"] } };
    case "PodTemplate":
      return { ...head, template };
    case "Service":
      return { ...head, spec: { selector: labels, ports: [{ port: 80 }] } };
    case "Stamp":
      return { ...head, spec: { text: `v${version}`, copies: 1 } };
    case "Deployment":
      return { ...head, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
  }
}
