import { apiVersionOf, controllerOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { type Addition, FIELD_MANAGER, idOf, type Manifest, type ObjectId } from "../../synth/manifest.ts";
import { AlreadyThereError, ApiUnavailableError, NotLeadingError, ReplacedError } from "../errors.ts";
import type {
  ApplyGuard,
  AtVersion,
  Clock,
  Cluster,
  DeleteOptions,
  Fence,
  Impersonation,
  ObjectRef,
} from "../ports.ts";
import { type Attempt, isOtherUid, toOperatorError } from "./api-errors.ts";
import { toApplyBody } from "./apply-body.ts";
import { takeOverEntries } from "./field-takeover.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { objectIn } from "./json-value.ts";
import { toLiveObject } from "./live-object.ts";
import { objectPath } from "./resource-path.ts";
import { hideSecretValues } from "./secret-values.ts";
import type { ApiRequest, ApiResponse, ApiTransport } from "./transport.ts";

export interface KubeClusterInput {
  readonly transport: ApiTransport;
  readonly fence: Fence;
  readonly clock: Clock;
  /** Identity of this instance in impersonated requests; see holderOf(). Without it, there is no impersonation. */
  readonly holder?: string;
  /** Ends running requests, and all later ones. */
  readonly signal?: AbortSignal;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Applies and additions change nothing: the server returns the object as it would be. */
  readonly dryRun?: true;
}

const applyQuery = `fieldManager=${FIELD_MANAGER}&force=true&fieldValidation=`;
const managerQuery = `fieldManager=${FIELD_MANAGER}`;
const contentTypes = {
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
} as const;

/**
 * The `Cluster` port over the Kubernetes REST API. Bodies are plain JSON, because a generated client drops
 * fields that are newer than its own types.
 */
export class KubeCluster implements Cluster {
  readonly #input: KubeClusterInput;
  readonly #beforeSend: () => void;

  constructor(input: KubeClusterInput) {
    this.#input = input;
    this.#beforeSend = () => input.fence.check();
  }

  get #dryRunQuery(): string {
    return this.#input.dryRun ? "&dryRun=All" : "";
  }

  until(signal: AbortSignal): KubeCluster {
    return new KubeCluster({ ...this.#input, signal });
  }

  /**
   * The same with the permissions of a ServiceAccount for every request; undefined: with those of the operator.
   *
   * @throws ImpersonationError if its name is invalid: no request is ever sent with more permissions than requested.
   */
  as(who: Impersonation | undefined): KubeCluster {
    const { headers: _, ...own } = this.#input;
    if (who === undefined) return new KubeCluster(own);
    return new KubeCluster({ ...own, headers: impersonationHeaders(who, own.holder) });
  }

  dryRun(): KubeCluster {
    return new KubeCluster({ ...this.#input, dryRun: true });
  }

  async apply(kind: ObjectKind, manifest: Manifest, guard: ApplyGuard): Promise<LiveObject> {
    const { metadata } = manifest;
    const id = idOf(manifest);
    const attempt: Attempt = { verb: "apply", id, namespace: metadata.namespace };
    // No object has version 1: the API server creates the object, or returns 409. With a uid it rejects another object
    // of the same name.
    const guarded = guard.mode === "create" ? { resourceVersion: "1" } : { uid: guard.uid };
    const response = await this.#write(attempt, {
      method: "PATCH",
      path: `${objectPath(kind, metadata)}?${applyQuery}${fieldValidationOf(kind)}${this.#dryRunQuery}`,
      contentType: contentTypes.apply,
      body: toApplyBody({ ...manifest, metadata: { ...metadata, ...guarded } }),
    });
    if (response.status < 300) return toLiveObject(JSON.parse(response.body));
    if (guard.mode === "create" && response.status === 409) throw new AlreadyThereError(id);
    if (guard.mode === "update" && (response.status === 409 || isOtherUid(response)))
      throw new ReplacedError(id);
    throw toOperatorError(hideSecretValues(response, manifest), attempt);
  }

  async add(
    { manifest, kind, subresource, fieldManager }: Addition,
    { uid }: { readonly uid: string },
  ): Promise<LiveObject> {
    const { metadata } = manifest;
    const attempt: Attempt = { verb: "apply", id: idOf(manifest), namespace: metadata.namespace };
    const validation = subresource === undefined ? `&fieldValidation=${fieldValidationOf(kind)}` : "";
    const response = await this.#write(attempt, {
      method: "PATCH",
      path: `${objectPath(kind, metadata, subresource)}?fieldManager=${encodeURIComponent(fieldManager)}${validation}${this.#dryRunQuery}`,
      contentType: contentTypes.apply,
      body: toApplyBody({ ...manifest, metadata: { ...metadata, uid } }),
    });
    if (response.status < 300) return toLiveObject(JSON.parse(response.body));
    if (response.status === 404 || isOtherUid(response)) throw new ReplacedError(attempt.id);
    throw toOperatorError(response, attempt);
  }

  async read(ref: ObjectRef): Promise<LiveObject | undefined> {
    const raw = await this.#readRaw(ref);
    return raw === undefined ? undefined : toLiveObject(raw);
  }

  async delete(
    ref: ObjectRef,
    { propagation, ...preconditions }: DeleteOptions,
  ): Promise<LiveObject | undefined> {
    const attempt = attemptOn(ref, "delete");
    const response = await this.#write(attempt, {
      method: "DELETE",
      path: objectPath(ref.kind, ref),
      body: JSON.stringify({ preconditions, propagationPolicy: propagation }),
    });
    if (response.status === 404 || isOtherUid(response)) return undefined;
    if (response.status === 409 && preconditions.resourceVersion !== undefined)
      throw new ReplacedError(attempt.id);
    if (response.status >= 300) throw toOperatorError(response, attempt);
    // For a deleted object the response is a Status, or the last state of the object.
    return response.body.includes('"deletionTimestamp"') ? asLeaving(JSON.parse(response.body)) : undefined;
  }

  async patchStatus(
    ref: ObjectRef,
    uid: string,
    status: object,
    { resourceVersion }: AtVersion = {},
  ): Promise<LiveObject | undefined> {
    return await this.#patch(ref, "patch the status of", {
      path: `${objectPath(ref.kind, ref, "status")}?${managerQuery}`,
      contentType: contentTypes.merge,
      body: JSON.stringify({ metadata: { uid, resourceVersion }, status }),
    });
  }

  async patchMetadata(ref: ObjectRef, metadata: object): Promise<LiveObject | undefined> {
    return await this.#patch(ref, "patch", {
      path: `${objectPath(ref.kind, ref)}?${managerQuery}`,
      contentType: contentTypes.merge,
      body: JSON.stringify({ metadata }),
    });
  }

  async takeOverFields(kind: ObjectKind, live: LiveObject): Promise<LiveObject | undefined> {
    const { name, namespace, uid } = live.metadata;
    const ref: ObjectRef = { kind, name, namespace };
    const raw = await this.#readRaw(ref);
    const { managedFields, resourceVersion, uid: foundUid } = objectIn(objectIn(raw)["metadata"]);
    const owner = controllerOf(live);
    if (raw === undefined || foundUid !== uid) return undefined;
    // RFC 3339 without fractions, as in managedFields.
    const time = `${this.#input.clock.wallClock().toISOString().slice(0, 19)}Z`;
    const apiVersion = apiVersionOf(kind);
    const entries = owner && takeOverEntries(managedFields, { ownerUid: owner.uid, apiVersion, time });
    if (entries === undefined) return toLiveObject(raw);
    return await this.#patch(ref, "patch", {
      path: `${objectPath(kind, ref)}?${managerQuery}`,
      contentType: contentTypes.json,
      body: JSON.stringify([
        { op: "replace", path: "/metadata/managedFields", value: entries },
        { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
      ]),
    });
  }

  async #patch(
    ref: ObjectRef,
    verb: Attempt["verb"],
    request: Pick<ApiRequest, "path" | "contentType" | "body">,
  ): Promise<LiveObject | undefined> {
    const attempt = attemptOn(ref, verb);
    const response = await this.#write(attempt, { method: "PATCH", ...request });
    if (response.status < 300) return toLiveObject(JSON.parse(response.body));
    if (response.status === 404 || isOtherUid(response)) return undefined;
    if (response.status === 409) throw new ReplacedError(attempt.id);
    throw toOperatorError(response, attempt);
  }

  async #readRaw(ref: ObjectRef): Promise<unknown> {
    const attempt = attemptOn(ref, "read");
    const response = await this.#send(attempt, { method: "GET", path: objectPath(ref.kind, ref) });
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw toOperatorError(response, attempt);
    return JSON.parse(response.body);
  }

  async #write(attempt: Attempt, request: ApiRequest): Promise<ApiResponse> {
    return await this.#send(attempt, { ...request, beforeSend: this.#beforeSend });
  }

  async #send({ verb, id }: Attempt, request: ApiRequest): Promise<ApiResponse> {
    const { transport, signal, headers } = this.#input;
    signal?.throwIfAborted();
    try {
      return await transport.send({ ...request, ...(headers && { headers }), ...(signal && { signal }) });
    } catch (error) {
      if (error instanceof NotLeadingError) throw error;
      signal?.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      throw new ApiUnavailableError(`Cannot ${verb} "${id}": ${why}`, { status: 0, cause: error });
    }
  }
}

function asLeaving(answer: unknown): LiveObject | undefined {
  const { deletionTimestamp } = objectIn(objectIn(answer)["metadata"]);
  return deletionTimestamp === undefined ? undefined : toLiveObject(answer);
}

function attemptOn({ kind, namespace, name }: ObjectRef, verb: Attempt["verb"]): Attempt {
  const id: ObjectId = `${kind.group}/${kind.kind}/${namespace ?? ""}/${name}`;
  return { verb, id, namespace };
}

/**
 * A field that the API server would drop must be rejected with its name; otherwise git would contain a field that does
 * not exist in the cluster. For built-in kinds it rejects such a field anyway; for custom resources only if requested,
 * and then it parses every apply a second time.
 */
function fieldValidationOf({ group }: ObjectKind): "Strict" | "Ignore" {
  return group.includes(".") ? "Strict" : "Ignore";
}
