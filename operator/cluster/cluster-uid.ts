import { Namespace } from "../../crds/core-kinds.ts";
import { ApiUnavailableError } from "../errors.ts";
import type { Clock, Cluster, Logger, Random } from "../ports.ts";
import { Backoff } from "../runtime/backoff.ts";
import { sleep } from "../runtime/sleep.ts";

export interface ClusterUidInput {
  readonly cluster: Pick<Cluster, "until">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The same backoff as for watches. */
const backoff = { initialMs: 800, factor: 2, capMs: 30_000, jitter: 1 };

/**
 * This cluster has no id for repositories, and will have none until the user changes something: nothing can be
 * published.
 */
export class UnnamedClusterError extends Error {
  override readonly name = "UnnamedClusterError";

  constructor(why: string, options?: ErrorOptions) {
    super(
      `Cannot use the repository: it needs the uid of the namespace kube-system to identify this cluster. ${why}`,
      options,
    );
  }
}

/**
 * The uid of the namespace kube-system. It distinguishes the folders of this cluster in a repository from those of
 * another cluster.
 */
export class ClusterUid {
  readonly #input: ClusterUidInput;
  #value: string | undefined;

  constructor(input: ClusterUidInput) {
    this.#input = input;
  }

  /** Available after {@link learn}. */
  get value(): string {
    if (this.#value === undefined)
      throw new Error("Cannot identify the cluster: its uid has not been read yet");
    return this.#value;
  }

  /**
   * Reads the uid, and retries while the API server is overloaded or unavailable, until the signal aborts.
   *
   * @throws UnnamedClusterError if the operator may not read it, or there is no such namespace.
   */
  async learn(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#input;
    const delays = new Backoff(backoff, random);
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        this.#value = await this.#read(signal);
        if (failures > 0) log.info("Read the uid of kube-system");
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ApiUnavailableError)) throw error;
        if (error.status === 403) throw new UnnamedClusterError(error.message, { cause: error });
        // Logged once, not for every attempt.
        if (failures === 0) log.warn("Waiting for the uid of kube-system", { why: error.message });
        const delayMs = Math.max(error.retryAfterMs ?? 0, delays.next(clock.now()));
        await sleep(delayMs, { clock, signal });
      }
    }
  }

  async #read(signal: AbortSignal): Promise<string> {
    const cluster = this.#input.cluster.until(signal);
    const system = await cluster.read({ kind: Namespace, namespace: undefined, name: "kube-system" });
    if (system === undefined) throw new UnnamedClusterError("The namespace does not exist");
    return system.metadata.uid;
  }
}
