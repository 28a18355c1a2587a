import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Secret } from "../../crds/core-kinds.ts";
import { idOf } from "../../synth/manifest.ts";
import { ApiUnavailableError } from "../errors.ts";
import type { Clock, Logger, Random } from "../ports.ts";
import { type Attempt, toOperatorError } from "./api-errors.ts";
import { objectIn } from "./json-value.ts";
import { collectionPath, objectPath } from "./resource-path.ts";
import type { ApiRequest, ApiTransport } from "./transport.ts";
import { untilAnswered } from "./until-answered.ts";

export interface RecordKeyInput {
  readonly transport: Pick<ApiTransport, "send">;
  /** Namespace and name of the Secret. */
  readonly place: readonly [string, string];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const KEY_BYTES = 32;
/** With the backoff, about 25 seconds. After that, the operator starts without a key: only Secrets may be unavailable. */
const FAILURES = 6;
/** Attempts after a conflict with another instance, which are not delayed. */
const CONFLICTS = 2;
const field = "key";

/**
 * The key that seals the records of Releases; see SealedRecords. All instances of an installation share it, in a Secret that
 * only they can read. The chart creates the Secret without a key, so that the operator needs no permission to create Secrets.
 * Elsewhere the operator creates it.
 */
export class RecordKey {
  readonly #input: RecordKeyInput;
  #value: Buffer | undefined;

  constructor(input: RecordKeyInput) {
    this.#input = input;
  }

  /** HMAC-SHA256 (RFC 2104) of a text, in base64url. Undefined: there is no key. */
  sealOf(text: string): string | undefined {
    const key = this.#value;
    return key && createHmac("sha256", key).update(text).digest("base64url");
  }

  isSealOf(seal: string, text: string): boolean {
    const [found, expected] = [Buffer.from(seal), Buffer.from(this.sealOf(text) ?? "")];
    return expected.length > 0 && found.length === expected.length && timingSafeEqual(found, expected);
  }

  /**
   * Reads the key, or creates it. Retries some times while the API server is overloaded or unavailable, until the signal
   * aborts. Does nothing if the key is known. Without a key, an operator works, too.
   */
  async learn(signal: AbortSignal): Promise<void> {
    if (this.#value !== undefined) return;
    const { log } = this.#input;
    try {
      this.#value = await untilAnswered(() => this.#readOrCreate(signal), {
        ...this.#input,
        onWait: ({ message }) => log.warn("Waiting for the key of records", { why: message }),
        onEnd: () => log.info("Read the key of records"),
        mostFailures: FAILURES,
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      log.warn("Without the key of records, the first record of each Release needs one more request", {
        why,
      });
    }
  }

  async #readOrCreate(signal: AbortSignal): Promise<Buffer> {
    const [namespace, name] = this.#input.place;
    const path = objectPath(Secret, { namespace, name });
    for (let conflicts = 0; ; conflicts++) {
      const found = await this.#send("read", { method: "GET", path, signal });
      const { data, metadata } = objectIn(found && JSON.parse(found));
      const text = objectIn(data)[field];
      if (text !== undefined) return toKey(text, this.#id);
      const key = randomBytes(KEY_BYTES);
      const added = { data: { [field]: key.toString("base64") } };
      try {
        if (found === undefined) await this.#create(added, signal);
        else await this.#fill(objectIn(metadata), added, { path, signal });
        return key;
      } catch (error) {
        // Another instance has created the key: read it.
        if (!isConflict(error) || conflicts === CONFLICTS) throw error;
      }
    }
  }

  async #create(content: object, signal: AbortSignal): Promise<void> {
    const [namespace, name] = this.#input.place;
    const body = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace },
      type: "Opaque",
      ...content,
    };
    const path = collectionPath(Secret, namespace);
    const made = await this.#send("create", { method: "POST", path, body: JSON.stringify(body), signal });
    if (made === undefined) throw new RecordKeyError(`namespace "${namespace}" does not exist`);
  }

  async #fill(
    { uid, resourceVersion }: Readonly<Record<string, unknown>>,
    content: object,
    request: Pick<ApiRequest, "path" | "signal">,
  ): Promise<void> {
    const filled = await this.#send("patch", {
      ...request,
      method: "PATCH",
      contentType: "application/merge-patch+json",
      // The resourceVersion makes all instances use the same key.
      body: JSON.stringify({ metadata: { uid, resourceVersion }, ...content }),
    });
    if (filled === undefined) throw new ApiUnavailableError(`${this.#id} was deleted`, { status: 409 });
  }

  get #id(): string {
    const [namespace, name] = this.#input.place;
    return idOf({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace } });
  }

  /** @returns The body of the response; undefined: 404. */
  async #send(verb: Attempt["verb"], request: ApiRequest): Promise<string | undefined> {
    const [namespace] = this.#input.place;
    const response = await this.#input.transport.send(request).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new ApiUnavailableError(`Cannot ${verb} ${this.#id}: ${why}`, { status: 0, cause: error });
    });
    if (response.status < 300) return response.body;
    if (response.status === 404) return undefined;
    throw toOperatorError(response, { verb, id: this.#id, namespace });
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiUnavailableError && error.status === 409;
}

/** There is no key, and there will be none until a user changes something. */
class RecordKeyError extends Error {
  override readonly name = "RecordKeyError";
}

function toKey(text: unknown, id: string): Buffer {
  const key = typeof text === "string" ? Buffer.from(text, "base64") : Buffer.of();
  if (key.length === KEY_BYTES) return key;
  throw new RecordKeyError(
    `"${field}" of ${id} does not have ${KEY_BYTES} bytes; remove it from the Secret, and restart`,
  );
}
