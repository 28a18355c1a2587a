import { readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import { parse } from "yaml";
import { apiVersionOf, type KubernetesObject } from "../../crds/object.ts";

/** Requests to the API server as `admin`, without kubectl: a request takes a millisecond, and needs no process. */
export interface DirectApi {
  /** Like `kubectl get TYPE NAME -o json`. Undefined: it does not exist. */
  get<T>(type: string, name: string, namespace?: string): Promise<T | undefined>;
  /** Like `kubectl get TYPE -o json`: a list with `items`. */
  list<T>(type: string, options: { readonly namespace?: string; readonly selector?: string }): Promise<T>;
  /** Like `kubectl apply --server-side`, one after the other. @returns The objects as stored. */
  apply(objects: readonly KubernetesObject[], fieldManager: string): Promise<KubernetesObject[]>;
  /** Like `kubectl delete --wait=false --ignore-not-found`. */
  delete(type: string, name: string, namespace?: string): Promise<void>;
  /** Sends any request. */
  send(path: string, options?: SendOptions): Promise<Answer>;
  /** The resource of a type as in kubectl, or of an object. */
  resourceOf(of: string | KubernetesObject): Promise<Resource>;
}

const opened = new Map<string, DirectApi>();

/** The API of a cluster, with the connections and the discovery of earlier calls in this process. */
export function openDirectApi(kubeconfigPath: string): DirectApi {
  return opened.getOrInsertComputed(kubeconfigPath, directApi);
}

/** A rejection by the API server; the message is formatted as in kubectl. */
export class DirectApiError extends Error {
  override readonly name = "DirectApiError";
}

export interface Resource {
  /** `/api/v1` or `/apis/apps/v1`. */
  readonly base: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly names: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** Connects to the cluster of a kubeconfig with a token; connections are kept open, and do not keep the process alive. */
export function directApi(kubeconfigPath: string): DirectApi {
  const config = parse(readFileSync(kubeconfigPath, "utf8"));
  const { server, "certificate-authority-data": authority } = config.clusters[0].cluster;
  const { token } = config.users[0].user;
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(authority, "base64") });
  let known: readonly Resource[] = [];

  const send = (path: string, { method = "GET", headers = {}, body }: SendOptions = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const settings = {
        method,
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          // Node does not add it to a DELETE.
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
          ...(headers as OutgoingHttpHeaders),
        },
        timeout: 240_000,
      };
      const call = request(new URL(path, server), settings, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk)).once("error", reject);
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      call
        .once("timeout", () => call.destroy(new Error(`No answer to ${method} ${path}`)))
        .once("error", reject);
      call.end(body);
    });

  const find = async (matches: (resource: Resource) => boolean, what: string): Promise<Resource> => {
    const hit = known.find(matches);
    if (hit !== undefined) return hit;
    known = [...(await discover(send, "/api")), ...(await discover(send, "/apis"))];
    const later = known.find(matches);
    if (later === undefined) throw new DirectApiError(`the server doesn't have a resource type "${what}"`);
    return later;
  };
  /** `pods`, `job`, `echos.mmontes.io` or `job.v1.batch`. */
  const byType = (type: string): Promise<Resource> => {
    const [name = "", ...rest] = type.toLowerCase().split(".");
    const place = rest.join(".");
    return find(
      ({ names, group, version }) =>
        names.includes(name) && (place === "" || place === group || place === `${version}.${group}`),
      type,
    );
  };
  const byObject = ({ apiVersion, kind }: KubernetesObject): Promise<Resource> =>
    find((one) => one.kind === kind && apiVersionOf(one) === apiVersion, `${kind} of ${apiVersion}`);

  return {
    send,
    resourceOf: (of) => (typeof of === "string" ? byType(of) : byObject(of)),
    async get<T>(type: string, name: string, namespace?: string) {
      const answer = await send(pathOf(await byType(type), namespace, name));
      return answer.status === 404 ? undefined : withoutManagers(expectSuccess<T & KubernetesObject>(answer));
    },
    async list<T>(type: string, { namespace, selector }: { namespace?: string; selector?: string }) {
      const query = selector === undefined ? "" : `?labelSelector=${encodeURIComponent(selector)}`;
      const list = expectSuccess<{ items: KubernetesObject[] }>(
        await send(`${pathOf(await byType(type), namespace)}${query}`),
      );
      return { ...list, items: list.items.map(withoutManagers) } as T;
    },
    async apply(objects, fieldManager) {
      const headers = { "content-type": "application/apply-patch+yaml" };
      const stored: KubernetesObject[] = [];
      for (const object of objects) {
        const { metadata } = object;
        const path = pathOf(await byObject(object), metadata.namespace, metadata.name);
        const query = `fieldManager=${fieldManager}&fieldValidation=Strict`;
        const answer = await send(`${path}?${query}`, {
          method: "PATCH",
          headers,
          body: JSON.stringify(object),
        });
        stored.push(withoutManagers(expectSuccess<KubernetesObject>(answer)));
      }
      return stored;
    },
    async delete(type, name, namespace) {
      const answer = await send(pathOf(await byType(type), namespace, name), { method: "DELETE" });
      if (answer.status !== 404) expectSuccess(answer);
    },
  };
}

/** The path of all objects of a namespace, or of one. Pure. */
export function pathOf({ base, plural, namespaced }: Resource, namespace = "default", name?: string): string {
  return [
    base,
    ...(namespaced ? ["namespaces", namespace] : []),
    plural,
    ...(name === undefined ? [] : [name]),
  ].join("/");
}

interface Discovered {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources?: readonly {
      readonly resource: string;
      readonly responseKind?: { readonly kind: string };
      readonly scope: string;
      readonly singularResource?: string;
      readonly shortNames?: readonly string[];
    }[];
  }[];
}

/** All types of one of the two roots, the preferred version of each first. */
async function discover(
  send: (path: string, options: SendOptions) => Promise<Answer>,
  root: string,
): Promise<Resource[]> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const { items } = expectSuccess<{ items: readonly Discovered[] }>(
    await send(root, { headers: { accept } }),
  );
  return items.flatMap(({ metadata: { name: group = "" }, versions }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(({ resource, responseKind, scope, singularResource = "", shortNames = [] }) => ({
        base: group === "" ? `${root}/${version}` : `${root}/${group}/${version}`,
        group,
        version,
        plural: resource,
        kind: responseKind?.kind ?? "",
        namespaced: scope === "Namespaced",
        names: [resource, singularResource, ...shortNames],
      })),
    ),
  );
}

function expectSuccess<T>({ status, text }: Answer): T {
  const body = JSON.parse(text) as T & { readonly reason?: string; readonly message?: string };
  if (status < 400) return body;
  throw new DirectApiError(`Error from server (${body.reason}): ${body.message}`);
}

/** Removes `managedFields`, like kubectl. */
export function withoutManagers<T extends KubernetesObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as KubernetesObject["metadata"] & {
    managedFields?: unknown;
  };
  return { ...object, metadata } as T;
}
