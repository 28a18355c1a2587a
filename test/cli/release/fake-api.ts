import type { KubernetesObject } from "../../../crds/object.ts";
import type { ApiRequest, ApiResponse, ApiTransport } from "../../../operator/cluster/transport.ts";

/** An API server with the given objects: reads, lists, and merge patches of existing objects. */
export class FakeApi implements Pick<ApiTransport, "send"> {
  readonly requests: ApiRequest[] = [];
  /** Objects by path. */
  readonly #objects: Map<string, KubernetesObject>;
  readonly #forbidden: ReadonlySet<string>;
  readonly #unserved: ReadonlySet<string>;

  /** @param forbidden Paths of forbidden lists. @param unserved Paths of lists of kinds that are no longer served. */
  constructor(
    objects: Readonly<Record<string, KubernetesObject>>,
    { forbidden = [] as readonly string[], unserved = [] as readonly string[] } = {},
  ) {
    this.#objects = new Map(Object.entries(objects));
    this.#forbidden = new Set(forbidden);
    this.#unserved = new Set(unserved);
  }

  async send(request: ApiRequest): Promise<ApiResponse> {
    this.requests.push(request);
    const [path = ""] = request.path.split("?");
    if (this.#forbidden.has(path)) return answer(403, { kind: "Status", code: 403, message: "no" });
    if (this.#unserved.has(path))
      return { status: 404, body: "404 page not found\n", retryAfterMs: undefined };
    const object = this.#objects.get(path);
    if (request.method === "GET" && object !== undefined) return answer(200, object);
    if (request.method === "GET") return this.#list(path);
    if (object === undefined) return notFound();
    const patched = merge(object, JSON.parse(request.body ?? "{}")) as KubernetesObject;
    this.#objects.set(path, patched);
    return answer(200, patched);
  }

  #list(path: string): ApiResponse {
    const isObject = /\/(releases|pods|configmaps|deployments|podsets|pipelines)\/[^/]+$/.test(path);
    if (isObject) return notFound();
    const [, plural] = /\/([^/]+)$/.exec(path) ?? [];
    const items = [...this.#objects].filter(([own]) => {
      const parent = own.slice(0, own.lastIndexOf("/"));
      return parent === path || (!path.includes("/namespaces/") && parent.endsWith(`/${plural}`));
    });
    return answer(200, { items: items.map(([, object]) => object), metadata: { continue: "" } });
  }
}

function answer(status: number, body: object): ApiResponse {
  return { status, body: JSON.stringify(body), retryAfterMs: undefined };
}

function notFound(): ApiResponse {
  return answer(404, { kind: "Status", code: 404, message: "not found", details: { kind: "releases" } });
}

/** RFC 7386. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
