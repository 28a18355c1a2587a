import type { Clock, Lease, LeaseClient, LeaseSpec } from "../../operator/ports.ts";

/** The current connection of one client to the server. */
export interface Line {
  /** The server executes a request at once; its response takes this time. */
  delayMs: number;
  /** Only the responses to these are slow; default: all of them. */
  slow?: "get" | "create" | "replace";
  /** Requests get no response. */
  isCut: boolean;
  /** Requests are rejected at once. */
  isRefused: boolean;
  /** This number of the next PUTs is rejected with a conflict. */
  conflicts: number;
}

/** One Lease on a server with several clients. Requests and their writes are recorded. */
export class FakeLeaseServer {
  lease: Lease | undefined;
  readonly requests: {
    readonly by: string;
    readonly verb: "get" | "create" | "replace";
    readonly atMs: number;
  }[] = [];
  readonly #clock: Clock;
  #versions = 0;
  #uids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get spec(): LeaseSpec {
    return this.lease?.spec ?? {};
  }

  /** Stores a record, as another client would. */
  put(spec: LeaseSpec, annotations = this.lease?.metadata["annotations"]): void {
    this.#versions++;
    const uid = this.lease?.metadata.uid ?? `uid-${++this.#uids}`;
    const metadata = { uid, resourceVersion: String(this.#versions) };
    this.lease = { metadata: { ...metadata, ...(annotations !== undefined && { annotations }) }, spec };
  }

  client(by: string): { client: LeaseClient; line: Line } {
    const line: Line = { delayMs: 0, isCut: false, isRefused: false, conflicts: 0 };
    const ask = (
      verb: "get" | "create" | "replace",
      act: () => Lease | undefined,
    ): Promise<Lease | undefined> => {
      this.requests.push({ by, verb, atMs: this.#clock.now() });
      if (line.isCut) return new Promise(() => {});
      if (line.isRefused) return Promise.reject(new Error("ECONNREFUSED"));
      const answer = Promise.try(act);
      // A rejection that is no longer awaited must not fail a test.
      answer.catch(() => {});
      if (line.delayMs === 0 || (line.slow ?? verb) !== verb) return answer;
      return new Promise((resolve) => this.#clock.schedule(line.delayMs, () => resolve(answer)));
    };
    const client: LeaseClient = {
      get: () => ask("get", () => structuredClone(this.lease)),
      create: (spec) =>
        ask("create", () => {
          if (this.lease !== undefined) throw new Error("409 AlreadyExists");
          this.put(spec);
          return structuredClone(this.lease);
        }) as Promise<Lease>,
      replace: (lease) =>
        ask("replace", () => {
          if (this.lease === undefined) throw new Error("404 NotFound");
          if (
            line.conflicts-- > 0 ||
            lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion
          ) {
            throw new Error("409 Conflict");
          }
          this.put(lease.spec ?? {}, lease.metadata["annotations"]);
          return structuredClone(this.lease);
        }) as Promise<Lease>,
    };
    return { client, line };
  }
}
