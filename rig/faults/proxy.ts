import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, createSecureServer, type Http2ServerResponse } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { selfSignedCertificate } from "../../test/fakes/self-signed-certificate.ts";
import { ActiveFaults, trafficOf, type WireFault } from "./active-faults.ts";
import { cannedAnswers } from "./canned-answers.ts";
import { holderIn, type Journal, type SentWrite } from "./journal.ts";
import { OpenWatch } from "./open-watch.ts";
import type { Chance } from "./random.ts";
import { readAll, type Upstream, UpstreamConnections } from "./upstream.ts";
import { RawConnections } from "./wire.ts";

export interface ApiProxyOptions {
  readonly upstream: Upstream;
  readonly protocol: "h2" | "http/1.1";
  readonly journal: Journal;
  readonly chance: Chance;
  /** Called for a write before it is forwarded to the API server. */
  readonly onWrite?: (write: SentWrite, body: string) => void;
  /** Whether a write is not forwarded to the API server. Called after `onWrite`. Default: never. */
  readonly isLost?: (write: SentWrite) => boolean;
}

/** The operator of a token, and the number of its start. */
export interface Incarnation {
  readonly slot: 0 | 1;
  readonly name: string;
}

const longestLatencyMs = 1_200;

/** A proxy of the API server for two operators, with TLS on a loopback port, that injects the faults. */
export class ApiProxy {
  readonly certificate: string;
  readonly #options: ApiProxyOptions;
  readonly #server: Server;
  readonly #upstream: UpstreamConnections;
  readonly #raw = new RawConnections();
  readonly #faults: ActiveFaults;
  readonly #incarnations = new Map<string, Incarnation>();
  readonly #watches = new Set<OpenWatch>();
  /** Requests in a black hole, by fault. */
  readonly #held = new Map<WireFault, (() => void)[]>();

  private constructor(options: ApiProxyOptions) {
    this.#options = options;
    this.#faults = new ActiveFaults(options.chance);
    this.#upstream = new UpstreamConnections(options.upstream);
    const { certificate, key } = selfSignedCertificate();
    this.certificate = certificate;
    const tls = { cert: certificate, key };
    const serve = (request: unknown, response: unknown): void =>
      // HTTP/1.1 and HTTP/2 have the same API for everything that is used here.
      void this.#serve(request as IncomingMessage, response as ServerResponse).catch(() => {});
    const server =
      options.protocol === "h2"
        ? createSecureServer({ ...tls, allowHTTP1: true }, serve)
        : createServer({ ...tls, keepAliveTimeout: 0, requestTimeout: 0 }, serve);
    for (const event of ["error", "sessionError", "tlsClientError"]) server.on(event, () => {});
    server.on("connection", (socket) => this.#raw.add(socket));
    this.#server = server;
  }

  static async start(options: ApiProxyOptions): Promise<ApiProxy> {
    const proxy = new ApiProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  admit(token: string, incarnation: Incarnation): void {
    this.#incarnations.set(`Bearer ${token}`, incarnation);
  }

  begin(fault: WireFault): void {
    this.#faults.begin(fault);
    if (fault.type === "reset-before" && fault.traffic === "all")
      this.#raw.resetAll((owner) => fault.target === "both" || owner.startsWith(`${fault.target}.`));
    for (const watch of this.#watches) {
      if (fault.target !== "both" && fault.target !== watch.slot) continue;
      if (fault.traffic !== "all" && fault.traffic !== "watches") continue;
      if (!["410-storm", "black-hole", "reset-before"].includes(fault.type)) continue;
      this.#options.journal.hit(fault.type);
      if (fault.type === "410-storm") watch.expire();
      else if (fault.type === "reset-before") watch.cut();
      else {
        watch.silence();
        this.#hold(fault, () => watch.cut());
      }
    }
  }

  end(fault: WireFault): void {
    this.#faults.end(fault);
    for (const release of this.#held.get(fault) ?? []) release();
    this.#held.delete(fault);
  }

  heal(): void {
    this.#faults.clear();
    for (const fault of [...this.#held.keys()]) this.end(fault);
  }

  async close(): Promise<void> {
    this.heal();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#raw.resetAll();
    this.#upstream.close();
    await closed;
  }

  #hold(fault: WireFault, release: () => void): void {
    this.#held.set(fault, [...(this.#held.get(fault) ?? []), release]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on("error", () => {});
    response.on("error", () => {});
    const { method = "GET", url: path = "/", headers } = request;
    const incarnation = this.#incarnations.get(headers.authorization ?? "");
    if (incarnation === undefined) return void response.writeHead(401).end();
    this.#raw.own(request.socket, incarnation.name);
    const body = await readAll(request);
    const auditId = this.#options.journal.nextAuditId();
    const traffic = trafficOf(path);
    if (method !== "GET") {
      const holder = holderIn(path, body.toString());
      const sent = { auditId, incarnation: incarnation.name, method, path, arrivedMs: Date.now(), holder };
      this.#options.journal.writes.push(sent);
      this.#options.onWrite?.(sent, body.toString());
      // Do not respond, because the sender is killed.
      if (this.#options.isLost?.(sent) === true) return;
    }
    const reset = (): void => this.#reset(request, response);
    const fault = this.#faults.pick(incarnation.slot, traffic);
    const forward = (signal?: AbortSignal): Promise<IncomingMessage> =>
      this.#upstream.send({ method, path, headers, body, auditId, ...(signal && { signal }) });
    if (fault !== undefined) {
      const canned = cannedAnswers[fault.type]?.(path);
      if (canned !== undefined) {
        this.#options.journal.hit(fault.type);
        return void response.writeHead(canned.status, canned.headers).end(canned.body);
      }
      if (fault.type === "reset-before" || fault.type === "black-hole" || fault.type === "latency")
        this.#options.journal.hit(fault.type);
      if (fault.type === "reset-before") return reset();
      if (fault.type === "black-hole") return this.#hold(fault, reset);
      if (fault.type === "latency") await sleep(fault.amount * longestLatencyMs);
    }
    try {
      if (traffic === "watches") await this.#watch(incarnation.slot, response, forward, reset);
      else await this.#answer(response, await forward(), { fault, reset });
    } catch {
      reset();
    }
  }

  async #answer(
    response: ServerResponse,
    answer: IncomingMessage,
    { fault, reset }: { readonly fault: WireFault | undefined; readonly reset: () => void },
  ): Promise<void> {
    const body = await readAll(answer);
    if (fault?.type === "lost-answer") {
      this.#options.journal.hit(fault.type);
      return reset();
    }
    const { "content-type": type = "application/json", "retry-after": retryAfter } = answer.headers;
    response.writeHead(answer.statusCode ?? 500, {
      "content-type": type,
      "content-length": body.length,
      ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    });
    if (fault?.type !== "reset-mid-body") return void response.end(body);
    this.#options.journal.hit(fault.type);
    response.write(body.subarray(0, Math.floor(fault.amount * body.length)), () => setImmediate(reset));
  }

  async #watch(
    slot: 0 | 1,
    response: ServerResponse,
    forward: (signal: AbortSignal) => Promise<IncomingMessage>,
    reset: () => void,
  ): Promise<void> {
    const left = new AbortController();
    response.once("close", () => left.abort());
    const answer = await forward(left.signal);
    if (answer.statusCode !== 200) return await this.#answer(response, answer, { fault: undefined, reset });
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const watch = new OpenWatch({
      slot,
      upstream: answer,
      sink: {
        write: (bytes) => void response.write(bytes),
        end: () => void response.end(),
        // Send the written data first.
        cut: () => void setTimeout(reset, 2),
      },
      pick: () => this.#faults.pickForEvent(slot),
      onHit: ({ type }) => this.#options.journal.hit(type),
    });
    this.#watches.add(watch);
    await watch.run();
    this.#watches.delete(watch);
  }

  /** Resets the stream of HTTP/2, as if a server cancelled one request, or the connection of HTTP/1.1. */
  #reset(request: IncomingMessage, response: ServerResponse): void {
    const { stream } = response as unknown as Partial<Http2ServerResponse>;
    if (stream === undefined) this.#raw.reset(request.socket);
    else if (!stream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}
