import { Namespace } from "../../crds/core-kinds.ts";
import { ApiUnavailableError } from "../errors.ts";
import type { Clock, Cluster, Logger, Random } from "../ports.ts";
import { untilAnswered } from "./until-answered.ts";

export interface ClusterUidInput {
  readonly cluster: Pick<Cluster, "until">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

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
    const { log } = this.#input;
    try {
      this.#value = await untilAnswered(() => this.#read(signal), {
        ...this.#input,
        onWait: ({ message }) => log.warn("Waiting for the uid of kube-system", { why: message }),
        onEnd: () => log.info("Read the uid of kube-system"),
        signal,
      });
    } catch (error) {
      if (!(error instanceof ApiUnavailableError)) throw error;
      throw new UnnamedClusterError(error.message, { cause: error });
    }
  }

  async #read(signal: AbortSignal): Promise<string> {
    const cluster = this.#input.cluster.until(signal);
    const system = await cluster.read({ kind: Namespace, namespace: undefined, name: "kube-system" });
    if (system === undefined) throw new UnnamedClusterError("The namespace does not exist");
    return system.metadata.uid;
  }
}
