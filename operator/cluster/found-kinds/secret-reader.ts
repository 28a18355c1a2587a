import { Secret } from "../../../crds/core-kinds.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { ApiUnavailableError, SourceError } from "../../errors.ts";
import type { Clock, Cluster, Impersonation } from "../../ports.ts";
import { objectIn } from "../json-value.ts";
import type { SecretReader } from "./ports.ts";

export interface SecretReaderInput {
  readonly cluster: Pick<Cluster, "as">;
  readonly clock: Clock;
  /** What else allows reading a Secret, besides the operator's own permission: the end of a message. */
  readonly remedy: string;
}

type SecretRef = Parameters<SecretReader["forget"]>[0];
type SecretData = ReadonlyMap<string, string>;

interface Entry {
  readonly ref: SecretRef;
  readonly askedAtMs: number;
  readonly data: Promise<SecretData>;
}

/** Secrets are not cached longer than the maximum age that a request may allow. */
const longestAgeMs = 600_000;

/**
 * Reads Secrets one by one, when a resource needs them, and caches them for a short time. Watching them would need
 * permission for every Secret, for the few that resources reference.
 */
export class KubeSecretReader implements SecretReader {
  readonly #input: SecretReaderInput;
  readonly #entries = new Map<string, Entry>();

  constructor(input: SecretReaderInput) {
    this.#input = input;
  }

  async read(
    ref: SecretRef,
    { as, maxAgeMs }: { readonly as: Impersonation | undefined; readonly maxAgeMs: number },
  ): Promise<SecretData> {
    const nowMs = this.#input.clock.now();
    // Keyed by account, because accounts have different permissions.
    const id = JSON.stringify([ref.namespace, ref.name, as?.namespace, as?.serviceAccountName]);
    const known = this.#entries.get(id);
    if (known !== undefined && nowMs - known.askedAtMs < Math.min(maxAgeMs, longestAgeMs))
      return await known.data;
    this.#dropOld(nowMs);
    const data = this.#readAnew(ref, as);
    const entry = { ref, askedAtMs: nowMs, data };
    this.#entries.set(id, entry);
    try {
      return await data;
    } catch (error) {
      // A failure is reported to the waiting callers, and not cached.
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      throw error;
    }
  }

  forget({ namespace, name }: SecretRef): void {
    for (const [id, { ref }] of this.#entries) {
      if (ref.namespace === namespace && ref.name === name) this.#entries.delete(id);
    }
  }

  async #readAnew(ref: SecretRef, as: Impersonation | undefined): Promise<SecretData> {
    const { namespace, name } = ref;
    const title = `Secret "${namespace}/${name}"`;
    let live: LiveObject | undefined;
    try {
      live = await this.#input.cluster.as(as).read({ kind: Secret, namespace, name });
    } catch (error) {
      if (!(error instanceof ApiUnavailableError && error.status === 403)) throw error;
      const why = error.message.replace(/^Cannot read "[^"]*": /, "");
      const how = as === undefined ? ` (value releases.readSecrets)${this.#input.remedy}` : "";
      throw new SourceError("SourceInvalid", `${title} cannot be read: ${why}${how}`, { cause: error });
    }
    if (live === undefined)
      throw new SourceError("SourceInvalid", `${title} does not exist; create it or name another one`);
    return decode(live["data"]);
  }

  #dropOld(nowMs: number): void {
    for (const [id, { askedAtMs }] of this.#entries) {
      if (nowMs - askedAtMs >= longestAgeMs) this.#entries.delete(id);
    }
  }
}

/** The texts of a Secret's entries. Binary data cannot be credentials; it is decoded to text that matches none. */
function decode(data: unknown): SecretData {
  const entries = Object.entries(objectIn(data)).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string";
  });
  return new Map(entries.map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]));
}

/** Reads the Secrets that resources reference. */
export function createSecretReader(input: SecretReaderInput): KubeSecretReader {
  return new KubeSecretReader(input);
}
