import { EasyService } from "../../crds/easy-service.ts";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { collectionPath, objectPath } from "../../operator/cluster/resource-path.ts";
import { type ApiRequest, ApiTransport } from "../../operator/cluster/transport.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { eventually } from "../../test/cluster/eventually.ts";
import { FakeGitRemote } from "../../test/fakes/git-remote.ts";
import type { Action, Content, Marks, RequestedRelease } from "./actions.ts";
import { placeOf } from "./policies.ts";

/** The facts that the tenants know about each other. */
export interface Neighbour {
  readonly namespace: string;
  readonly git: FakeGitRemote;
}

const kinds = {
  ConfigMap: { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true },
  Secret: { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true },
} as const satisfies Record<string, ObjectKind>;

/** One tenant: its credentials, its namespace and its repository. */
export class Tenant implements Neighbour {
  readonly namespace: string;
  readonly git = new FakeGitRemote();
  readonly #transport: ApiTransport;

  private constructor(namespace: string, transport: ApiTransport) {
    this.namespace = namespace;
    this.#transport = transport;
  }

  static async connect(namespace: string, kubeconfig: string): Promise<Tenant> {
    const clock = systemClock();
    const access = await loadClusterAccess({ kubeconfig, env: {}, clock });
    return new Tenant(namespace, new ApiTransport(access, { clock, userAgent: "tenant" }));
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.git[Symbol.dispose]();
  }

  /** Takes an action. @returns The status code of the API server; 0 for a commit. */
  async make(action: Action, other: Neighbour): Promise<number> {
    const { namespace } = this;
    switch (action.does) {
      case "plant": {
        const { name, marks, manager } = action;
        const kind = kinds[action.kind];
        const metadata = { name, namespace, ...this.#marked(marks, other) };
        return await this.#apply(kind, { metadata }, manager);
      }
      case "remove":
        return await this.#send({
          method: "DELETE",
          path: objectPath(kinds[action.kind], { namespace, name: action.name }),
        });
      case "release":
        return await this.release(action.name, this.#specOf(action.spec, other));
      case "leave":
        return await this.#send({
          method: "DELETE",
          path: objectPath(Release, { namespace, name: action.name }),
        });
      case "publish": {
        const publish = { branch: null, path: null, ...placeOf(action.place, namespace, other.namespace) };
        return await this.#patch(action.name, { spec: { publish } });
      }
      case "annotate": {
        const value = action.value
          .replaceAll("{other}", other.namespace)
          .replace("{head}", this.git.head() ?? "");
        return await this.#patch(action.name, { metadata: { annotations: { [action.annotation]: value } } });
      }
      case "unhold":
        return await this.#patch(action.name, { metadata: { finalizers: [] } });
      case "forge": {
        const entries = ["web", "two", "three"].map((name) => `/ConfigMap/${other.namespace}/${name}`);
        const status = { inventory: { entries }, revision: "a".repeat(40) };
        return await this.#patch(action.name, { status }, action.subresource ? "status" : undefined);
      }
      case "commit":
        this.commit({ [`${action.folder}/${action.file}`]: this.#textOf(action.content, other) });
        return 0;
    }
  }

  /** Applies a Release like a user. */
  async release(name: string, spec: object): Promise<number> {
    return await this.#apply(Release, { metadata: { name, namespace: this.namespace }, spec }, "tenant");
  }

  /** The commit from which one of its Releases was deployed; undefined: none, or there is no such Release. */
  async revisionOf(name: string): Promise<string | undefined> {
    const path = objectPath(Release, { namespace: this.namespace, name });
    const { status, body } = await this.#transport.send({ method: "GET", path });
    if (status !== 200) return undefined;
    return (JSON.parse(body) as { readonly status?: { readonly revision?: string } }).status?.revision;
  }

  /** Deletes all of its Releases, with their objects where their accounts may do that, and waits until they are gone. */
  async leaveAll(): Promise<void> {
    const path = collectionPath(Release, this.namespace);
    await this.#send({ method: "DELETE", path });
    const patienceMs = 5_000;
    const startedMs = performance.now();
    await eventually(
      async () => {
        const { body } = await this.#transport.send({ method: "GET", path });
        const { items } = JSON.parse(body) as { readonly items: readonly KubernetesObject[] };
        // A Release whose account may not delete its objects stays until its finalizers are removed.
        if (performance.now() - startedMs > patienceMs)
          for (const { metadata } of items)
            await this.#patch(metadata.name, { metadata: { finalizers: [] } });
        return items.length === 0;
      },
      { what: "its Releases are gone", intervalMs: 500 },
    );
  }

  /** Commits files to the branch; `undefined` deletes one. Returns the commit. */
  commit(files: Readonly<Record<string, string | undefined>>): string {
    return this.git.commitByOthers(files);
  }

  sourceOf(path: string, { git }: Neighbour = this): object {
    return { url: `file://${git.path}`, path };
  }

  #marked({ set, release, adoptBy, isHeld }: Marks, other: Neighbour): object {
    const of = set === "other" ? other.namespace : this.namespace;
    const id = setOf(Release, { metadata: { name: release, namespace: of } });
    return {
      labels: set === "none" ? {} : { [stamps.set]: id, [stamps.partOf]: id },
      annotations: {
        ...(set !== "none" && { [stamps.owner]: `releases.fairlead.dev/${of}/${release}` }),
        ...(adoptBy === "short" && { [stamps.adoptBy]: `release/${release}` }),
        ...(adoptBy === "long" && { [stamps.adoptBy]: `release/${of}/${release}` }),
      },
      ...(isHeld && { finalizers: ["example.dev/never"] }),
    };
  }

  #place(place: "other" | "own" | "none", other: Neighbour): { readonly namespace?: string } {
    if (place === "none") return {};
    return { namespace: place === "other" ? other.namespace : this.namespace };
  }

  #specOf(requested: RequestedRelease, other: Neighbour): object {
    const { path, source, account, namespace, createNamespace, dependsOn, program, input, publish, ...rest } =
      requested;
    const inputs = { name: `made-${input % 3}`, ...this.#place(namespace, other), input };
    return {
      ...rest,
      source: this.sourceOf(path, source === "other" ? other : this),
      interval: "2s",
      render:
        program === undefined
          ? { manifests: {} }
          : { program: { entry: `${program}.ts`, inputs, timeout: "1s" } },
      ...(publish && { publish: placeOf(publish, this.namespace, other.namespace) }),
      target: {
        ...this.#place(namespace, other),
        createNamespace,
        ...(account !== "none" && { serviceAccountName: account }),
      },
      ...(dependsOn !== "none" && { dependsOn: [{ name: "shop", ...this.#place(dependsOn, other) }] }),
    };
  }

  #textOf({ kind, name, namespace, marks, version }: Content, other: Neighbour): string | undefined {
    if (kind === "gone") return undefined;
    if (kind === "broken") return "a: [b";
    const at = this.#place(namespace, other);
    const { finalizers: _, ...marked } = this.#marked(marks, other) as { readonly finalizers?: unknown };
    const metadata = { name, ...at, ...marked };
    const value = String(version);
    const objects: Record<Exclude<Content["kind"], "gone" | "broken">, object> = {
      ConfigMap: { apiVersion: "v1", kind, metadata, data: { value } },
      Secret: { apiVersion: "v1", kind, metadata, stringData: { value } },
      Namespace: { apiVersion: "v1", kind, metadata: { ...metadata, name: other.namespace } },
      ClusterRole: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind,
        metadata: { ...metadata, name: `tenants-${name}` },
        rules: [],
      },
      EasyService: {
        apiVersion: apiVersionOf(EasyService),
        kind,
        metadata,
        spec: { image: "example.dev/web:1", size: 1 },
      },
      Release: {
        apiVersion: apiVersionOf(Release),
        kind,
        metadata: { ...metadata, name: `made-${name}` },
        spec: { source: this.sourceOf("shop"), render: { manifests: {} }, suspend: version < 5 },
      },
    };
    return JSON.stringify(objects[kind]);
  }

  async #apply(kind: ObjectKind, object: Partial<KubernetesObject>, manager: string): Promise<number> {
    const { metadata } = object;
    const path = `${objectPath(kind, { ...metadata, name: metadata?.name ?? "" })}?fieldManager=${manager}&force=true`;
    const body = JSON.stringify({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...object });
    return await this.#send({ method: "PATCH", path, body, contentType: "application/apply-patch+yaml" });
  }

  async #patch(name: string, patch: object, subresource?: string): Promise<number> {
    const path = objectPath(Release, { namespace: this.namespace, name }, subresource);
    return await this.#send({
      ...{ method: "PATCH", path, body: JSON.stringify(patch) },
      contentType: "application/merge-patch+json",
    });
  }

  async #send(request: ApiRequest): Promise<number> {
    const { status, body } = await this.#transport.send(request);
    // A rejection is not an error, because a tenant may try any request.
    if (status >= 500) throw new Error(`${request.method} ${request.path}: ${body}`);
    return status;
  }
}
