import { INSTALLATION_LABEL } from "../../charts/installation.ts";
import { Pod, Secret, ServiceAccount } from "../../crds/core-kinds.ts";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { toOperatorError } from "../../operator/cluster/api-errors.ts";
import { readStatus } from "../../operator/cluster/api-status.ts";
import { objectPath, withQuery } from "../../operator/cluster/resource-path.ts";
import type { ApiResponse, ApiTransport } from "../../operator/cluster/transport.ts";
import { kindOf, titleOf } from "./installable-kinds.ts";
import { listObjects } from "./list-objects.ts";

/** Field manager of the requests. */
export const FIELD_MANAGER = "fairlead-cli";

/** An object in the server's version, with managedFields. */
export type StoredObject = KubernetesObject & {
  readonly metadata: {
    readonly uid: string;
    readonly managedFields?: readonly { readonly manager?: string; readonly operation?: string }[];
  };
};

/** Another field manager owns fields of an object and has set other values. */
export class FieldConflictError extends Error {
  override readonly name = "FieldConflictError";
}

/** The cluster does not serve a kind. */
export class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";

  constructor(kind: ObjectKind) {
    super(
      `Cannot install a ${kind.kind}: this cluster does not have the kind (${apiVersionOf(kind)}); ` +
        "install its CustomResourceDefinition first, or remove it from the values",
    );
  }
}

export interface ApplyOptions {
  readonly dryRun: boolean;
  /** Take over fields from other field managers. */
  readonly force: boolean;
}

type Place = { readonly name: string; readonly namespace?: string };

/**
 * Objects of an installation on the API server, with the permissions of the user. Its errors describe what failed, for
 * which object and why.
 */
export class InstallClient {
  readonly #transport: Pick<ApiTransport, "send">;

  constructor(transport: Pick<ApiTransport, "send">) {
    this.#transport = transport;
  }

  /**
   * Undefined: it does not exist.
   *
   * @throws UnknownKindError if its kind is not served.
   */
  async read(kind: ObjectKind, place: Place): Promise<StoredObject | undefined> {
    const response = await this.#transport.send({ method: "GET", path: objectPath(kind, place) });
    if (response.status === 404 && readStatus(response).kind === "") throw new UnknownKindError(kind);
    if (response.status === 404) return undefined;
    return objectIn(response, "read", titleOf({ ...kind, apiVersion: apiVersionOf(kind), metadata: place }));
  }

  /** Whether the cluster has a kind in exactly this version. */
  async serves(kind: ObjectKind): Promise<boolean> {
    const apiVersion = apiVersionOf(kind);
    const path = kind.group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
    const response = await this.#transport.send({ method: "GET", path });
    if (response.status === 404) return false;
    if (response.status >= 300)
      throw toOperatorError(response, {
        verb: "read",
        id: `the kinds of ${apiVersion}`,
        namespace: undefined,
      });
    const { resources = [] } = JSON.parse(response.body) as {
      readonly resources?: readonly { readonly name: string }[];
    };
    return resources.some(({ name }) => name === kind.plural);
  }

  /** Undefined: it does not exist, or the user may not read it. */
  async readIfAllowed(kind: ObjectKind, place: Place): Promise<StoredObject | undefined> {
    const response = await this.#transport.send({ method: "GET", path: objectPath(kind, place) });
    if (response.status === 403 || response.status === 404) return undefined;
    return objectIn(response, "read", titleOf({ ...kind, apiVersion: apiVersionOf(kind), metadata: place }));
  }

  /**
   * Applies an object server-side.
   *
   * @throws FieldConflictError that names the fields, and their managers.
   */
  async apply(object: KubernetesObject, { dryRun, force }: ApplyOptions): Promise<StoredObject> {
    const kind = kindOf(object);
    const query = { fieldManager: FIELD_MANAGER, force: String(force), dryRun: dryRun ? "All" : undefined };
    const response = await this.#transport.send({
      method: "PATCH",
      path: withQuery(objectPath(kind, object.metadata), query),
      contentType: "application/apply-patch+yaml",
      body: JSON.stringify(object),
    });
    if (response.status === 409) throw conflict(response, titleOf(object));
    return objectIn(response, "apply", titleOf(object), object.metadata.namespace);
  }

  /**
   * Requests a token of a ServiceAccount that is valid while a pod exists.
   *
   * @returns The token, as the kubelet would mount it into this pod.
   */
  async requestToken(account: Required<Place>, pod: StoredObject, seconds: number): Promise<string> {
    const { name, uid } = pod.metadata;
    const boundObjectRef = { kind: Pod.kind, apiVersion: apiVersionOf(Pod), name, uid };
    const response = await this.#transport.send({
      method: "POST",
      path: objectPath(ServiceAccount, account, "token"),
      body: JSON.stringify({
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: seconds, boundObjectRef },
      }),
    });
    const title = `ServiceAccount ${account.namespace}/${account.name}`;
    const { status } = objectIn(response, "read", title, account.namespace);
    return (status as { readonly token: string }).token;
  }

  /** All objects of a kind with a label, in all namespaces; empty if the kind is not served. */
  async list(kind: ObjectKind, labelSelector?: string): Promise<readonly StoredObject[]> {
    const found = await this.#list(kind, labelSelector);
    if (!("status" in found)) return found;
    throw toOperatorError(found, { verb: "read", id: `the ${kind.plural}`, namespace: undefined });
  }

  /**
   * The objects of a kind that belong to an installation. No Secrets if the user may not list them: an installation has only one,
   * in its own namespace.
   */
  async listOwn(kind: ObjectKind, installation: string): Promise<readonly StoredObject[]> {
    const selector = `${INSTALLATION_LABEL}=${installation}`;
    if (kind !== Secret) return await this.list(kind, selector);
    return (await this.listIfAllowed(kind, selector)) ?? [];
  }

  /** The same; undefined if the user may not list it. */
  async listIfAllowed(
    kind: ObjectKind,
    labelSelector?: string,
  ): Promise<readonly StoredObject[] | undefined> {
    const found = await this.#list(kind, labelSelector);
    if (!("status" in found)) return found;
    if (found.status === 403) return undefined;
    throw toOperatorError(found, { verb: "read", id: `the ${kind.plural}`, namespace: undefined });
  }

  /** All objects of a kind; empty if the kind is not served, or the user may not list it. */
  async listAllowed(kind: ObjectKind): Promise<readonly StoredObject[]> {
    return (await this.listIfAllowed(kind)) ?? [];
  }

  async #list(kind: ObjectKind, labelSelector?: string): Promise<readonly StoredObject[] | ApiResponse> {
    const found = await listObjects<StoredObject>(this.#transport, kind, { labelSelector });
    return "status" in found && found.status === 404 ? [] : found;
  }

  /** Deletes an object, unless it was replaced. It is not an error if it is deleted already. */
  async delete(
    object: StoredObject,
    kind: ObjectKind,
    propagation: "Foreground" | "Background",
  ): Promise<void> {
    const { uid } = object.metadata;
    const body = JSON.stringify({ propagationPolicy: propagation, preconditions: { uid } });
    const response = await this.#transport.send({
      method: "DELETE",
      path: objectPath(kind, object.metadata),
      body,
    });
    // Another object has its name now, and is not deleted.
    if (response.status === 404 || response.status === 409) return;
    objectIn(response, "delete", titleOf(object), object.metadata.namespace);
  }
}

function objectIn(
  response: ApiResponse,
  verb: "apply" | "read" | "delete",
  title: string,
  namespace?: string,
): StoredObject {
  if (response.status >= 300) throw toOperatorError(response, { verb, id: title, namespace });
  return JSON.parse(response.body) as StoredObject;
}

function conflict(response: ApiResponse, title: string): Error {
  const { causes, message } = readStatus(response);
  const fields = causes.map(({ field, message: says }) => {
    const [, owner] = /conflict with "([^"]*)"/.exec(says) ?? [];
    return `${field.replace(/^\./, "")} (owned by ${owner ?? "another field manager"})`;
  });
  const what = fields.length === 0 ? message : `another field manager has set ${fields.join(", ")}`;
  return new FieldConflictError(`Cannot apply ${title}: ${what}; --force-conflicts takes these fields over`);
}
