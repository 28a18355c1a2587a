import type { ApiRequest, ApiResponse } from "../../operator/cluster/transport.ts";

export const allVerbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
] as const;

interface KindOptions {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  readonly verbs?: readonly string[];
}

interface VersionOptions {
  readonly version: string;
  readonly kinds: readonly KindOptions[];
  readonly freshness?: "Current" | "Stale";
}

/** The kinds of a cluster, by group. */
export type ServedGroups = Readonly<Record<string, readonly VersionOptions[]>>;

/** A response of aggregated discovery. */
export function aggregated(groups: ServedGroups): object {
  const items = Object.entries(groups).map(([name, versions]) => ({
    metadata: name === "" ? {} : { name },
    versions: versions.map(({ version, kinds, freshness = "Current" }) => ({
      version,
      freshness,
      resources: kinds.map(({ plural, kind, namespaced = true, verbs = allVerbs }) => ({
        resource: plural,
        responseKind: { group: name, version, kind },
        scope: namespaced ? "Namespaced" : "Cluster",
        verbs,
        subresources: [
          { subresource: "status", responseKind: { group: name, version, kind }, verbs: ["patch"] },
        ],
      })),
    })),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items };
}

/** An API server with discovery. `/api` has the core group, `/apis` all others. */
export class FakeDiscovery {
  groups: ServedGroups;
  /** Responds without aggregation, as servers before 1.27. */
  isLegacy = false;
  /** Error or response for all requests. */
  failure: Error | ApiResponse | undefined;
  /** Group versions whose own server is unavailable, such as `metrics.k8s.io/v1beta1`. */
  readonly down = new Set<string>();
  readonly requests: string[] = [];
  /** All responses wait until it resolves. */
  gate: Promise<void> = Promise.resolve();

  constructor(groups: ServedGroups) {
    this.groups = groups;
  }

  /** Number of requests to `/apis`. */
  get looks(): number {
    return this.requests.filter((path) => path === "/apis").length;
  }

  async send({ path, headers = {} }: ApiRequest): Promise<ApiResponse> {
    this.requests.push(path);
    await this.gate;
    if (this.failure instanceof Error) throw this.failure;
    if (this.failure !== undefined) return this.failure;
    if (this.isLegacy) return this.#legacy(path);
    const body = JSON.stringify(
      aggregated(
        Object.fromEntries(
          Object.entries(this.groups).filter(([name]) => (name === "") === (path === "/api")),
        ),
      ),
    );
    const etag = `"${body.length}-${body.slice(-200)}"`;
    if (headers["if-none-match"] === etag) return answer(304, "");
    return { ...answer(200, body), etag };
  }

  #legacy(path: string): ApiResponse {
    const named = Object.entries(this.groups);
    if (path === "/api")
      return answer(200, {
        kind: "APIVersions",
        versions: (this.groups[""] ?? []).map(({ version }) => version),
      });
    if (path === "/apis") {
      const groups = named
        .filter(([name]) => name !== "")
        .map(([name, versions]) => ({
          name,
          versions: versions.map(({ version }) => ({ version })),
          preferredVersion: { version: versions[0]?.version },
        }));
      return answer(200, { kind: "APIGroupList", groups });
    }
    const [, , group = "", version = ""] = path.startsWith("/api/")
      ? `/apis//${path.slice(5)}`.split("/")
      : path.split("/");
    const found = this.groups[group]?.find((one) => one.version === version);
    if (found === undefined || this.down.has(`${group}/${version}`))
      return answer(503, "service unavailable");
    const resources = found.kinds.map(({ plural, kind, namespaced = true, verbs = allVerbs }) => ({
      name: plural,
      kind,
      namespaced,
      verbs,
    }));
    return answer(200, { kind: "APIResourceList", resources });
  }
}

function answer(status: number, body: object | string): ApiResponse {
  return { status, body: typeof body === "string" ? body : JSON.stringify(body), retryAfterMs: undefined };
}
