import type { GitPublisher } from "../git/publish/git-publisher.ts";
import type { Clock, Logger } from "../ports.ts";
import type { Leadership } from "../runtime/controller.ts";
import type { Election } from "../runtime/election.ts";
import { type HttpRoute, type HttpServer, serveHttp } from "../runtime/http-server.ts";
import type { KindStores } from "../runtime/kind-stores.ts";
import { type ShutdownCause, shutDown } from "../runtime/shutdown.ts";
import { sleep } from "../runtime/sleep.ts";
import type { KindController } from "./controllers.ts";

/** A server and its address; `0` as the address disables it. */
export type Endpoint =
  | {
      /** Its name in the log. */
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
  /** Reads the data that is needed before the start; resolves early when the signal aborts. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** Logs which fences of the API server are in force. */
  readonly reportFences: () => Promise<void>;
  readonly publisher: GitPublisher | undefined;
  /** Writes the events that are still queued. */
  readonly closeEvents: () => Promise<void>;
  readonly endpoints: readonly Endpoint[];
  /** Closes connections, and stops writing events. */
  readonly close: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Part of the grace period that is reserved for the last commits. */
const flushMs = 10_000;
/** How long the start waits for the first response about the Lease. */
const headStartMs = 1_000;

/** The lifecycle of one operator: start, lead, stop. */
export class Operator {
  readonly #parts: OperatorParts;
  readonly #sources = new AbortController();
  readonly #reconciles = new AbortController();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #servers: HttpServer[] = [];

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  /** Requests the stop; {@link run} then resolves. */
  stop(): void {
    this.#stopped.resolve();
  }

  /**
   * Runs until it is stopped or loses its lease. A standby also fills its stores, so that it can take over without
   * listing.
   *
   * @returns The exit code of the process.
   * @throws ListenError when an address is taken; errors of {@link OperatorParts.prepare}.
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
      // Probes succeed during this time, because a restart would not help.
      isStopped = await Promise.race([
        this.#parts.prepare(signal).then(() => false),
        this.#stopped.promise.then(() => true),
      ]);
    } catch (error) {
      // Open servers would prevent the process from exiting.
      await this.#close();
      throw error;
    }
    if (isStopped) return await this.#shutDown("signal", { sources: Promise.resolve(), controllers: [] });
    void this.#parts.reportFences();
    const term = election.elected.then((): Leadership => ({ sinceMs: clock.now() }));
    election.start();
    // An instance that leads from the start lists once: a list within its term is known to be current.
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
          log.error("Cannot continue", { error });
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

  /**
   * From now on this instance may write: git is polled, and folders of deleted resources are removed as soon as all
   * resources are listed.
   */
  #lead({ sinceMs }: Leadership): void {
    const { publisher, stores, log } = this.#parts;
    // A lease that is acquired during the stop is released without polling git.
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
          // Waits for all of them, also when one has failed: the others may be in the middle of a write.
          await Promise.allSettled(controllers);
        },
        abortReconciles: (reason) => this.#reconciles.abort(reason),
        stopRenewing: () => election.stopRenewing(),
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
