import { apiVersionOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { isBuiltInGroup } from "../engine/built-in-group.ts";
import { WatchError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { ListPage, WatchEvent, WatchSource } from "../runtime/ports.ts";
import { TimeSlice } from "../runtime/time-slice.ts";
import { readStatus, statusOf } from "./api-status.ts";
import { ConnectionError, toConnectionError } from "./connection-error.ts";
import { LineSplitter } from "./json-lines.ts";
import { objectIn, textIn } from "./json-value.ts";
import { cutItems } from "./list-items.ts";
import { type Transform, toLiveObject } from "./live-object.ts";
import { collectionPath, withQuery } from "./resource-path.ts";
import { type ApiResponse, type ApiTransport, retryAfterMsOf } from "./transport.ts";
import type { WatchConnection, WatchResponse } from "./watch-connection.ts";

export interface KubeWatchSourceInput {
  readonly kind: ObjectKind;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Reduces each object further before it is passed on. */
  readonly transform?: Transform;
  readonly transport: Pick<ApiTransport, "send" | "server">;
  readonly connection: Pick<WatchConnection, "open">;
  readonly clock: Clock;
}

const initialEventsEnd = "k8s.io/initial-events-end";
/** Maximum time without yielding to the event loop, so that lease renewals and probes continue. */
const sliceMs = 10;
/** A whole rejection is read, but at most this much of a proxy's error page. */
const longestRefusalBytes = 64 * 1024;

/** Lists and watches one kind over the REST API, each object reduced as it arrives. */
export class KubeWatchSource implements WatchSource {
  readonly kind: ObjectKind;
  readonly isCustomKind: boolean;
  readonly #input: KubeWatchSourceInput;
  readonly #path: string;
  readonly #defaults: { readonly apiVersion: string; readonly kind: string };
  readonly #transform: Transform;

  constructor(input: KubeWatchSourceInput) {
    const { kind, namespace, transform = (object) => object } = input;
    this.kind = kind;
    this.isCustomKind = !isBuiltInGroup(kind.group);
    this.#input = input;
    this.#path = collectionPath(kind, kind.namespaced ? namespace : undefined);
    this.#defaults = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    this.#transform = transform;
  }

  async list(params: Parameters<WatchSource["list"]>[0]): Promise<ListPage> {
    const { resourceVersion, limit, continueToken, signal } = params;
    const path = withQuery(this.#path, {
      labelSelector: this.#input.labelSelector,
      limit: limit === undefined ? undefined : String(limit),
      continue: continueToken,
      // A continue token contains the version to which it belongs.
      ...(continueToken === undefined &&
        resourceVersion !== "" && { resourceVersion, resourceVersionMatch: "NotOlderThan" }),
    });
    let response: ApiResponse;
    try {
      // No retry here: the reflector decides how long to wait.
      response = await this.#input.transport.send({ method: "GET", path, signal, retries: 0 });
    } catch (error) {
      throw this.#broken("list", error);
    }
    if (response.status !== 200) throw this.#refused("list", response);
    return await this.#page(response.body);
  }

  async *watch(params: Parameters<WatchSource["watch"]>[0]): AsyncGenerator<WatchEvent, void, void> {
    const { resourceVersion, sendInitialEvents, timeoutSeconds, signal } = params;
    const path = withQuery(this.#path, {
      watch: "true",
      allowWatchBookmarks: "true",
      labelSelector: this.#input.labelSelector,
      timeoutSeconds: String(timeoutSeconds),
      resourceVersion: resourceVersion === "" ? undefined : resourceVersion,
      ...(sendInitialEvents && { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }),
    });
    try {
      const response = await this.#input.connection.open(path, { signal });
      if (response.status !== 200) throw this.#refused("watch", await readRefusal(response));
      yield* this.#events(response.body);
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof WatchError ? error : this.#broken("watch", error);
    }
  }

  async *#events(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent, void, void> {
    const { clock } = this.#input;
    const lines = new LineSplitter();
    const slice = new TimeSlice(clock, sliceMs);
    for await (const chunk of body) {
      for (const line of lines.push(chunk)) {
        const event = this.#event(line);
        if (event === undefined) continue;
        yield event;
        // This time includes the reader's processing of the event: a burst must not block the event loop.
        if (slice.isOver) await slice.next();
      }
    }
    if (lines.isInsideLine) throw new ConnectionError("the watch ended inside an event", { lost: true });
  }

  #event(line: string): WatchEvent | undefined {
    const { type, object } = objectIn(JSON.parse(line));
    switch (type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return { type, object: this.#reduce(object) };
      case "BOOKMARK": {
        const { resourceVersion, annotations } = objectIn(objectIn(object)["metadata"]);
        const isEnd = objectIn(annotations)[initialEventsEnd] === "true";
        return { type, resourceVersion: textIn(resourceVersion), initialEventsEnd: isEnd };
      }
      case "ERROR": {
        const { code, reason, message } = statusOf(object);
        return { type, status: code, reason, message };
      }
      default:
        return undefined;
    }
  }

  async #page(body: string): Promise<ListPage> {
    const { clock } = this.#input;
    const items: LiveObject[] = [];
    const texts = cutItems(body);
    const slice = new TimeSlice(clock, sliceMs);
    let text = texts.next();
    for (; text.done !== true; text = texts.next()) {
      items.push(this.#reduce(JSON.parse(text.value)));
      if (slice.isOver) await slice.next();
    }
    const { resourceVersion, continue: continueToken } = objectIn(
      objectIn(JSON.parse(text.value))["metadata"],
    );
    return {
      items,
      resourceVersion: textIn(resourceVersion),
      continueToken: textIn(continueToken) || undefined,
    };
  }

  #reduce(raw: unknown): LiveObject {
    return this.#transform(toLiveObject(raw, this.#defaults));
  }

  #refused(verb: "list" | "watch", response: ApiResponse): WatchError {
    const { code, reason, message, kind, retryAfterMs } = readStatus(response);
    // For an unknown path the server responds without a Status.
    const why = code === 404 && kind === "" ? "the API server does not have this kind" : message;
    return new WatchError(`Cannot ${verb} "${this.kind.plural}": ${why} (${code})`, {
      status: code,
      reason,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }

  #broken(verb: "list" | "watch", error: unknown): WatchError {
    const cause = toConnectionError(error, this.#input.transport.server);
    const { message, refused } = cause;
    return new WatchError(`Cannot ${verb} "${this.kind.plural}": ${message}`, { status: 0, refused, cause });
  }
}

async function readRefusal({ status, headers, body }: WatchResponse): Promise<ApiResponse> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > longestRefusalBytes) break;
  }
  const retryAfterMs = retryAfterMsOf(headers["retry-after"]);
  return { status, body: Buffer.concat(chunks).toString("utf8"), retryAfterMs };
}
