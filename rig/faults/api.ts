import { setTimeout as sleep } from "node:timers/promises";
import { apiVersionOf, type KubernetesObject, type ObjectKind, type ObjectMeta } from "../../crds/object.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { collectionPath, objectPath } from "../../operator/cluster/resource-path.ts";
import { type ApiRequest, type ApiResponse, ApiTransport } from "../../operator/cluster/transport.ts";
import { systemClock } from "../../operator/runtime/clock.ts";

const patienceMs = 90_000;

/** An object of the API server. */
export interface SeenObject extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
  };
}

/** A client of the API server that repeats requests until the API server responds. */
export class AdminApi {
  readonly #transport: ApiTransport;

  private constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  static async connect(kubeconfig: string): Promise<AdminApi> {
    const clock = systemClock();
    const access = await loadClusterAccess({ kubeconfig, env: {}, clock });
    return new AdminApi(new ApiTransport(access, { clock, userAgent: "fault-driver" }));
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async apply(
    kind: ObjectKind,
    manifest: { readonly metadata: ObjectMeta; readonly spec: object },
  ): Promise<SeenObject> {
    const path = `${objectPath(kind, manifest.metadata)}?fieldManager=driver&force=true`;
    const body = JSON.stringify({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...manifest });
    // A 404 may come from an API server that has not loaded its CRDs yet.
    const isFinal = ({ status }: ApiResponse): boolean => status !== 404;
    const type = "application/apply-patch+yaml";
    const { body: answer } = await this.#send({ method: "PATCH", path, body, contentType: type }, isFinal);
    return JSON.parse(answer) as SeenObject;
  }

  /** Deletes an object. Returns whether it existed. */
  async delete(kind: ObjectKind, namespace: string | undefined, name: string): Promise<boolean> {
    const path = objectPath(kind, { name, ...(namespace !== undefined && { namespace }) });
    const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" });
    const { status } = await this.#send({ method: "DELETE", path, body }, isAnswer);
    return status < 300;
  }

  /** Sends a merge patch. Returns whether the object existed. */
  async patch(kind: ObjectKind, namespace: string, name: string, patch: object): Promise<boolean> {
    const path = `${objectPath(kind, { name, namespace })}?fieldManager=hand`;
    const contentType = "application/merge-patch+json";
    const request = { method: "PATCH", path, body: JSON.stringify(patch), contentType } as const;
    return (await this.#send(request, isAnswer)).status < 300;
  }

  async create(kind: ObjectKind, manifest: { readonly metadata: ObjectMeta }): Promise<void> {
    const body = JSON.stringify({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...manifest });
    const path = collectionPath(kind, manifest.metadata.namespace);
    await this.#send({ method: "POST", path, body }, isAnswer);
  }

  async list(kind: ObjectKind, namespace: string): Promise<readonly SeenObject[]> {
    const isFinal = ({ status }: ApiResponse): boolean => status === 200;
    const { body } = await this.#send({ method: "GET", path: collectionPath(kind, namespace) }, isFinal);
    return (JSON.parse(body) as { items: readonly SeenObject[] }).items;
  }

  async #send(request: ApiRequest, isFinal: (response: ApiResponse) => boolean): Promise<ApiResponse> {
    const started = performance.now();
    for (;;) {
      const answer = await this.#transport
        .send({ ...request, timeoutMs: 10_000 })
        .catch((error: Error) => error);
      const isOver = performance.now() - started > patienceMs;
      if (!(answer instanceof Error)) {
        const { status } = answer;
        if (status < 500 && status !== 429 && isFinal(answer)) {
          if (status >= 400 && status !== 404 && status !== 409)
            throw new Error(`${request.method} ${request.path}: ${answer.body}`);
          return answer;
        }
      }
      if (isOver)
        throw new Error(
          `${request.method} ${request.path}: ${answer instanceof Error ? answer.message : answer.body}`,
        );
      await sleep(100);
    }
  }
}

/** Whether a response is final. A 404 with a Status about an object is; a 404 about the path comes from an unready API server. */
function isAnswer({ status, body }: ApiResponse): boolean {
  return status !== 404 || body.includes('"details"');
}
