import { apiVersionOf, type ObjectKind } from "../../crds/object.ts";
import { ApiUnavailableError } from "../errors.ts";
import { readStatus } from "./api-status.ts";
import { type JsonObject, listIn, objectIn, textIn } from "./json-value.ts";
import type { ApiTransport } from "./transport.ts";

/** What the API server says about a kind. */
export interface ServedKind {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

type ServedGroup = ReadonlyMap<string, ServedKind>;

/**
 * Asks the API server which kinds it has: one GET per group and version at most, and only when somebody asks. A
 * normal start needs none of it; it is for telling a missing kind from a missing right.
 */
export class Discovery {
  readonly #transport: ApiTransport;
  readonly #groups = new Map<string, Promise<ServedGroup>>();

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  /** Undefined when the kind is not there (yet): no error, because a CRD may be installed later. */
  async find(kind: ObjectKind): Promise<ServedKind | undefined> {
    const apiVersion = apiVersionOf(kind);
    let group = this.#groups.get(apiVersion);
    if (group === undefined) {
      group = this.#read(kind);
      this.#groups.set(apiVersion, group);
    }
    try {
      const found = (await group).get(kind.plural);
      if (found === undefined) this.#groups.delete(apiVersion);
      return found;
    } catch (error) {
      this.#groups.delete(apiVersion);
      throw error;
    }
  }

  async #read(kind: ObjectKind): Promise<ServedGroup> {
    const apiVersion = apiVersionOf(kind);
    const path = kind.group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
    const response = await this.#transport.send({ method: "GET", path });
    if (response.status === 404) return new Map();
    if (response.status !== 200) {
      const { code, message } = readStatus(response);
      const why = `the API server answered ${code}: ${message}`;
      throw new ApiUnavailableError(`Cannot read the kinds of "${apiVersion}": ${why}`, { status: code });
    }
    const resources = listIn(objectIn(JSON.parse(response.body))["resources"]).map(objectIn);
    return new Map(resources.map((resource) => [textIn(resource["name"]), servedKind(resource)]));
  }
}

function servedKind({ kind, namespaced, verbs }: JsonObject): ServedKind {
  return { kind: textIn(kind), namespaced: namespaced === true, verbs: listIn(verbs).map(textIn) };
}
