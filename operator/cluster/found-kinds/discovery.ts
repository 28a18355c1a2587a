import { apiVersionOf } from "../../../crds/object.ts";
import { inOrder } from "../../engine/in-order.ts";
import { ApiUnavailableError } from "../../errors.ts";
import { readStatus } from "../api-status.ts";
import type { ApiResponse, ApiTransport } from "../transport.ts";
import {
  type DiscoveredVersion,
  readAggregated,
  readLegacyGroups,
  readLegacyResources,
} from "./discovery-answer.ts";

/** All kinds that the server serves, or undefined if nothing has changed since the last time. */
export type Discovered = readonly DiscoveredVersion[] | undefined;

const accept = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat("application/json")
  .join(",");
const paths = ["/api", "/apis"] as const;
/** Maximum number of concurrent requests if every group version needs its own. */
const atATime = 8;

/**
 * Requests the kinds of an API server: two requests with aggregated discovery, and two responses without a body if
 * nothing is new; otherwise one more for every group version.
 */
export class Discovery {
  readonly #transport: Pick<ApiTransport, "send">;
  /** The last response for each path, with its ETag for the next request. */
  readonly #last = new Map<
    string,
    { readonly etag: string; readonly versions: readonly DiscoveredVersion[] }
  >();

  constructor(transport: Pick<ApiTransport, "send">) {
    this.#transport = transport;
  }

  /**
   * @throws ApiUnavailableError when there is no response. A group whose own server is unavailable is stale, which is
   * not an error.
   */
  async read(): Promise<Discovered> {
    const answers = await Promise.all(paths.map((path) => this.#readPath(path)));
    if (answers.every(({ isSame }) => isSame)) return undefined;
    return answers.flatMap(({ versions }) => versions);
  }

  async #readPath(
    path: string,
  ): Promise<{ readonly isSame: boolean; readonly versions: readonly DiscoveredVersion[] }> {
    const last = this.#last.get(path);
    const response = await this.#get(path, { accept, ...(last && { "if-none-match": last.etag }) });
    if (response.status === 304 && last !== undefined) return { isSame: true, versions: last.versions };
    if (response.status !== 200) throw unavailable(path, response);
    const answer: unknown = JSON.parse(response.body);
    const versions = readAggregated(answer);
    if (versions === undefined) return { isSame: false, versions: await this.#readLegacy(answer) };
    // A stale group may become available without a new ETag.
    if (response.etag === undefined || versions.some(({ isStale }) => isStale)) this.#last.delete(path);
    else this.#last.set(path, { etag: response.etag, versions });
    return { isSame: false, versions };
  }

  async #readLegacy(answer: unknown): Promise<readonly DiscoveredVersion[]> {
    return await inOrder(readLegacyGroups(answer), (one) => this.#readResources(one), { atATime });
  }

  /** A group version that cannot be read is stale: its server is unavailable, which does not affect the others. */
  async #readResources(groupVersion: { group: string; version: string }): Promise<DiscoveredVersion> {
    const { group } = groupVersion;
    const path = `${group === "" ? "/api" : "/apis"}/${apiVersionOf(groupVersion)}`;
    const response = await this.#get(path, { accept: "application/json" });
    if (response.status !== 200) return { ...groupVersion, kinds: [], unkept: [], isStale: true };
    return readLegacyResources(JSON.parse(response.body), groupVersion);
  }

  async #get(path: string, headers: Readonly<Record<string, string>>): Promise<ApiResponse> {
    try {
      return await this.#transport.send({ method: "GET", path, headers, retries: 0 });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ApiUnavailableError(`Cannot discover kinds at "${path}": ${why}`, {
        status: 0,
        cause: error,
      });
    }
  }
}

function unavailable(path: string, response: ApiResponse): ApiUnavailableError {
  const { message, code } = readStatus(response);
  return new ApiUnavailableError(`Cannot discover kinds at "${path}": ${message} (${code})`, {
    status: code,
  });
}
