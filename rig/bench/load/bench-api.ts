import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { readServerCertificate, readToken } from "../../../cli/local-cluster/credentials.ts";

/** The fields of an object that the load drivers read. */
export interface SeenObject {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; observedGeneration?: number }[];
  };
}

export interface SeenEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: SeenObject;
}

export const configMapsPath = "/api/v1/namespaces/default/configmaps";
export const benchSetsPath = "/apis/bench.fairlead.dev/v1alpha1/namespaces/default/benchsets";
/** A group with the same kind that no operator watches. */
export const unwatchedGroup = "unwatched.fairlead.dev";

/** The API server as the user `driver`, who has no priority. */
export interface BenchApi {
  /** Sends a request and returns the status of the response. A 4xx or 5xx is an error unless it is allowed. */
  send(method: string, path: string, body?: object, allowed?: readonly number[]): Promise<number>;
  apply(path: string, object: object): Promise<void>;
  /** Reports every change from now on, until `signal`. */
  watch(path: string, onEvent: (event: SeenEvent) => void, signal: AbortSignal): Promise<void>;
  close(): void;
}

export async function openBenchApi({
  server,
  runDirectory,
}: {
  server: string;
  runDirectory: string;
}): Promise<BenchApi> {
  const token = await readToken(runDirectory, "driver");
  const ca = await readServerCertificate(runDirectory);
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ca });
  const open = async (
    method: string,
    path: string,
    {
      body,
      contentType = "application/json",
      signal,
    }: { body?: object; contentType?: string; signal?: AbortSignal } = {},
  ): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": contentType };
    const call = request(new URL(path, server), { method, agent, headers, ...(signal && { signal }) });
    call.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(call, "response")) as [IncomingMessage];
    return response;
  };
  const finish = async (
    response: IncomingMessage,
    what: string,
    allowed: readonly number[],
  ): Promise<number> => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const { statusCode = 0 } = response;
    if (statusCode >= 400 && !allowed.includes(statusCode))
      throw new Error(`Cannot ${what}: ${statusCode} ${Buffer.concat(chunks).toString().slice(0, 300)}`);
    return statusCode;
  };
  return {
    async send(method, path, body, allowed = []) {
      const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const response = await open(method, path, { ...(body && { body }), contentType });
      return await finish(response, `${method} ${path}`, allowed);
    },
    async apply(path, body) {
      const contentType = "application/apply-patch+yaml";
      const response = await open("PATCH", `${path}?fieldManager=driver&force=true`, { body, contentType });
      await finish(response, `apply ${path}`, []);
    },
    async watch(path, onEvent, signal) {
      const response = await open("GET", `${path}?watch=1&timeoutSeconds=86400`, { signal });
      if (response.statusCode !== 200) throw new Error(`Cannot watch ${path}: ${response.statusCode}`);
      const lines = createInterface({ input: response });
      lines.on("line", (line) => onEvent(JSON.parse(line) as SeenEvent));
      // The stream ends with the signal, or with the control plane.
      for (const stream of [lines, response]) stream.on("error", () => undefined);
    },
    close: () => agent.destroy(),
  };
}

/** Waits for the API server to serve a new kind, which takes a short time. */
export async function untilServed(api: BenchApi, path: string): Promise<void> {
  while ((await api.send("GET", path, undefined, [404, 429])) !== 200) await sleep(100);
}

/** A BenchSet to apply. */
export function aBenchSet(name: string, size: number, group = "bench.fairlead.dev"): object {
  return { apiVersion: `${group}/v1alpha1`, kind: "BenchSet", metadata: { name }, spec: { size } };
}

/** Whether the operator has reported that the current generation is Ready and Published. */
export function isPublished(object: SeenObject): boolean {
  return isTrue(object, "Ready") && isTrue(object, "Published");
}

/** Whether a condition is true for the current generation. */
export function isTrue({ metadata, status }: SeenObject, type: string): boolean {
  return (
    status?.conditions?.some(
      (one) => one.type === type && one.status === "True" && one.observedGeneration === metadata.generation,
    ) === true
  );
}
