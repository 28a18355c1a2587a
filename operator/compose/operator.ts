import type { GitPublisher } from "../git/publish/git-publisher.ts";
import type { Clock, Logger } from "../ports.ts";
import type { Leadership } from "../runtime/controller.ts";
import type { Election } from "../runtime/election.ts";
import { type HttpRoute, type HttpServer, serveHttp } from "../runtime/http-server.ts";
import type { KindStores } from "../runtime/kind-stores.ts";
import { type ShutdownCause, shutDown } from "../runtime/shutdown.ts";
import { sleep } from "../runtime/sleep.ts";
import type { KindController } from "./controllers.ts";

/** Something to serve, and where; `0` as the address serves nothing. */
export type Endpoint =
  | {
      /** Names it in the log. */
      readonly serves: string;
      readonly address: string;
      readonly route: HttpRoute;
    }
  | { readonly serves: string; readonly listen: () => Promise<HttpServer | undefined> };

export interface OperatorParts {
  readonly stores: KindStores;
  readonly controllers: readonly KindController[];
  readonly election: Election;
  /** Resolves when the lease is lost. */
  readonly leaseLost: Promise<void>;
  /** Learns what has to be known before anything begins; resolves early when the signal aborts. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** Says which fences of the API server are there. */
  readonly reportFences: () => Promise<void>;
  readonly publisher: GitPublisher | undefined;
  /** Writes down what events still wait for. */
  readonly closeEvents: () => Promise<void>;
  readonly endpoints: readonly Endpoint[];
  /** Ends what is left: connections, events under way. */
  readonly close: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Part of the grace period that the last commits may take. */
const flushMs = 10_000;
/** So long the first answer about the Lease is waited for. */
const headStartMs = 1_000;

/** The life of one operator: start, lead, stop. */
export class Operator {
  readonly #parts: OperatorParts;
  readonly #sources = new AbortController();
  readonly #reconciles = new AbortController();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #servers: HttpServer[] = [];

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  /** Asks it to stop; {@link run} then resolves. */
  stop(): void {
    this.#stopped.resolve();
  }

  /**
   * Runs until it is stopped or loses its lease. A standby fills its stores, too, so that it takes over warm.
   *
   * @returns The exit code of the process.
   * @throws ListenError when an address is taken; what {@link OperatorParts.prepare} throws.
   */
  async run(): Promise<0 | 1> {
    const { election, endpoints, clock, log } = this.#parts;
    const { signal } = this.#sources;
    let isStopped = false;
    try {
      for (const endpoint of endpoints) {
        const server = await ("listen" in endpoint
          ? endpoint.listen()
          : serveHttp(endpoint.address, endpoint.route, { log }));
        if (server === undefined) continue;
        this.#servers.push(server);
        log.info("Listening", { serves: endpoint.serves, address: server.address });
      }
      // Probes answer meanwhile: to be restarted would not help.
      isStopped = await Promise.race([
        this.#parts.prepare(signal).then(() => false),
        this.#stopped.promise.then(() => true),
      ]);
    } catch (error) {
      // What is open already would keep the process alive.
      await this.#close();
      throw error;
    }
    if (isStopped) return await this.#shutDown("signal", { sources: Promise.resolve(), controllers: [] });
    void this.#parts.reportFences();
    const term = election.elected.then((): Leadership => ({ sinceMs: clock.now() }));
    election.start();
    // Who leads from the start lists once: what is listed in a term is known to be new enough for it.
    await Promise.race([election.tried, this.#stopped.promise, sleep(headStartMs, { clock, signal })]);
    const sources = this.#watch();
    const controllers = this.#reconcile(term);
    void term.then((begun) => this.#lead(begun));
    const cause = await Promise.race([
      this.#stopped.promise.then((): ShutdownCause => "signal"),
      this.#parts.leaseLost.then((): ShutdownCause => "lost-lease"),
      Promise.all(controllers).then(
        (): ShutdownCause => "signal",
        (error: unknown): ShutdownCause => {
          log.error("Cannot go on", { error });
          return "failed";
        },
      ),
    ]);
    return await this.#shutDown(cause, { sources, controllers });
  }

  #watch(): Promise<unknown> {
    const { stores, controllers } = this.#parts;
    const { signal } = this.#sources;
    return Promise.all([stores.run(signal), ...controllers.map((controller) => controller.watch(signal))]);
  }

  #reconcile(gate: Promise<Leadership>): readonly Promise<void>[] {
    const { signal } = this.#reconciles;
    return this.#parts.controllers.map(({ run }) => run({ gate, signal }));
  }

  /** From here on we may write: git is looked at, and swept as soon as it is known which resources there are. */
  #lead({ sinceMs }: Leadership): void {
    const { publisher, stores, log } = this.#parts;
    // A lease that comes while we stop is given back without a look at git.
    if (publisher === undefined || this.#sources.signal.aborted) return;
    publisher.start();
    const { signal } = this.#sources;
    for (const { role, reflector } of stores.watched) {
      if (role !== "resource") continue;
      reflector.whenCurrent(sinceMs, signal).then(
        () => publisher.sweep(),
        () => log.debug("Stopped before a kind was known"),
      );
    }
  }

  #shutDown(
    cause: ShutdownCause,
    {
      sources,
      controllers,
    }: { readonly sources: Promise<unknown>; readonly controllers: readonly Promise<void>[] },
  ): Promise<0 | 1> {
    const { election, publisher, controllers: all, closeEvents, clock, log } = this.#parts;
    return shutDown(
      cause,
      {
        stopWorkers: async () => {
          for (const { queue } of all) queue.shutDown();
          // All of them, also when one has failed: the others may be in the middle of a write.
          await Promise.allSettled(controllers);
        },
        abortReconciles: (reason) => this.#reconciles.abort(reason),
        stopSources: async () => {
          this.#sources.abort(new Error("The operator is shutting down"));
          await sources;
        },
        flush: async () => {
          const until = { flushMs: election.isLeading ? flushMs : 0 };
          await Promise.all([
            publisher?.close(until),
            ...all.map((controller) => controller.close(until)),
            closeEvents(),
          ]);
        },
        release: () => election.stop(),
        closeServers: () => this.#close(),
      },
      { clock, log },
    );
  }

  async #close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.#parts.close();
  }
}
