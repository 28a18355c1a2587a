import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { type Attempt, toOperatorError } from "../../operator/cluster/api-errors.ts";
import { readStatus } from "../../operator/cluster/api-status.ts";
import { collectionPath, objectPath, withQuery } from "../../operator/cluster/resource-path.ts";
import type { ApiResponse, ApiTransport } from "../../operator/cluster/transport.ts";
import { FIELD_MANAGER } from "../install/install-client.ts";
import { titleOf } from "../install/installable-kinds.ts";
import { type ListOptions, listObjects } from "../install/list-objects.ts";

/** An object as stored by the API server. */
export type StoredObject = KubernetesObject & { readonly metadata: { readonly uid: string } };

export interface Place {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** An object to create. */
export interface NewObject {
  readonly metadata: {
    readonly namespace?: string;
    readonly name?: string;
    /** A name prefix. */
    readonly generateName?: string;
  };
  readonly spec: object;
}

/** Objects of any kind on the API server, with the permissions of the user. Errors are for users. */
export class ApiClient {
  readonly #transport: Pick<ApiTransport, "send">;

  constructor(transport: Pick<ApiTransport, "send">) {
    this.#transport = transport;
  }

  /** Undefined: it does not exist. */
  async read(kind: ObjectKind, place: Place): Promise<StoredObject | undefined> {
    const response = await this.#transport.send({ method: "GET", path: objectPath(kind, place) });
    if (response.status === 404 && readStatus(response).kind !== "") return undefined;
    return objectIn(response, { verb: "read", id: labelOf(kind, place), namespace: place.namespace });
  }

  /** All objects of a kind, in one namespace or in all. */
  async list(kind: ObjectKind, options: ListOptions): Promise<readonly StoredObject[]> {
    const found = await listObjects<StoredObject>(this.#transport, kind, options);
    if (!("status" in found)) return found;
    const { namespace } = options;
    const id = `${kind.plural}${namespace === undefined ? "" : ` of namespace ${namespace}`}`;
    throw toOperatorError(found, { verb: "read", id, namespace });
  }

  /** Creates an object; the API server completes its name if it has `generateName`. */
  async create(kind: ObjectKind, object: NewObject, { dryRun = false } = {}): Promise<StoredObject> {
    const { namespace, name, generateName } = object.metadata;
    const query = { fieldManager: FIELD_MANAGER, dryRun: dryRun ? "All" : undefined };
    const response = await this.#transport.send({
      method: "POST",
      path: withQuery(collectionPath(kind, namespace), query),
      body: JSON.stringify({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...object }),
    });
    const id = labelOf(kind, { name: name ?? `${generateName}…`, namespace });
    return objectIn(response, { verb: "create", id, namespace });
  }

  /** Creates a request object, such as a SelfSubjectReview, and returns its status. */
  async ask(kind: ObjectKind, spec: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#transport.send({
      method: "POST",
      path: collectionPath(kind),
      body: JSON.stringify({ apiVersion: apiVersionOf(kind), kind: kind.kind, spec }),
    });
    const { status } = objectIn(response, { verb: "create", id: kind.kind, namespace: undefined });
    return (status ?? {}) as Readonly<Record<string, unknown>>;
  }

  /** Deletes exactly this object. */
  async delete(kind: ObjectKind, object: StoredObject): Promise<void> {
    const { uid, name, namespace } = object.metadata;
    const response = await this.#transport.send({
      method: "DELETE",
      path: objectPath(kind, { name, namespace }),
      body: JSON.stringify({ preconditions: { uid }, propagationPolicy: "Background" }),
    });
    if (response.status >= 300)
      throw toOperatorError(response, { verb: "delete", id: titleOf(object), namespace });
  }

  /** Merge patch of exactly this object. */
  async patch(kind: ObjectKind, object: StoredObject, change: object): Promise<StoredObject> {
    const { uid, name, namespace } = object.metadata;
    const { metadata = {} } = change as { readonly metadata?: object };
    const response = await this.#transport.send({
      method: "PATCH",
      path: withQuery(objectPath(kind, { name, namespace }), { fieldManager: FIELD_MANAGER }),
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ ...change, metadata: { ...metadata, uid } }),
    });
    return objectIn(response, { verb: "patch", id: titleOf(object), namespace });
  }
}

function labelOf({ kind }: ObjectKind, { name, namespace }: Place): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function objectIn(response: ApiResponse, attempt: Attempt): StoredObject {
  if (response.status >= 300) throw toOperatorError(response, attempt);
  return JSON.parse(response.body) as StoredObject;
}
