import { requestTimeoutMs } from "../engine/election.ts";
import { ApiUnavailableError } from "../errors.ts";
import type { Clock, Lease, LeaseClient, LeaseSpec } from "../ports.ts";
import { readStatus } from "./api-status.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { collectionPath, objectPath } from "./resource-path.ts";
import { type ApiRequest, type ApiResponse, ApiTransport, type OnRequest } from "./transport.ts";

export interface KubeLeaseClientInput {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** `fairlead/<version>`. */
  readonly userAgent: string;
  /** It determines the timeout of one request: half of it, so that one hanging request does not lose the lease. */
  readonly renewDeadlineMs: number;
  readonly onRequest?: OnRequest;
}

const leases = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
} as const;

/**
 * The operator's Lease, on a connection of its own: a renewal never waits for other requests. It is not fenced, because
 * the fence depends on it, and does not retry, because the election does.
 */
export class KubeLeaseClient implements LeaseClient {
  readonly #input: KubeLeaseClientInput;
  readonly #transport: ApiTransport;

  constructor(input: KubeLeaseClientInput) {
    const { access, clock, onRequest, userAgent } = input;
    this.#input = input;
    this.#transport = new ApiTransport(access, {
      clock,
      userAgent: `${userAgent} leader-election`,
      // A second connection, for use while a hanging request is being cancelled.
      connections: 2,
      ...(onRequest && { onRequest }),
    });
  }

  async get({ signal }: { readonly signal: AbortSignal }): Promise<Lease | undefined> {
    const response = await this.#send("read", { method: "GET", path: this.#path, signal });
    return response === undefined ? undefined : (JSON.parse(response.body) as Lease);
  }

  async create(spec: LeaseSpec, { signal }: { readonly signal: AbortSignal }): Promise<Lease> {
    const { namespace, name } = this.#input;
    const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace }, spec };
    const path = collectionPath(leases, namespace);
    return await this.#write("create", { method: "POST", path, body: JSON.stringify(body), signal });
  }

  async replace(lease: Lease, { signal }: { readonly signal: AbortSignal }): Promise<Lease> {
    const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...lease };
    return await this.#write("replace", {
      method: "PUT",
      path: this.#path,
      body: JSON.stringify(body),
      signal,
    });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  get #path(): string {
    return objectPath(leases, this.#input);
  }

  async #write(verb: string, request: ApiRequest): Promise<Lease> {
    const response = await this.#send(verb, request);
    if (response === undefined) throw this.#error(verb, 404, "it, or its namespace, does not exist");
    return JSON.parse(response.body) as Lease;
  }

  // Undefined: 404.
  async #send(verb: string, request: ApiRequest): Promise<ApiResponse | undefined> {
    const timeoutMs = requestTimeoutMs(this.#input.renewDeadlineMs);
    let response: ApiResponse;
    try {
      response = await this.#transport.send({ ...request, timeoutMs, retries: 0 });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw this.#error(verb, 0, why, error);
    }
    if (response.status < 300) return response;
    if (response.status === 404) return undefined;
    throw this.#error(verb, response.status, readStatus(response).message);
  }

  #error(verb: string, status: number, why: string, cause?: unknown): ApiUnavailableError {
    const { namespace, name } = this.#input;
    return new ApiUnavailableError(`Cannot ${verb} lease "${namespace}/${name}": ${why}`, { status, cause });
  }
}
