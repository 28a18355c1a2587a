import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock, Logger } from "../ports.ts";
import { TokenBuckets } from "../runtime/token-bucket.ts";
import { createBodyReader } from "./body-reader.ts";
import type { Hook, HookOutcome, HookRefusal, Hooks } from "./hook.ts";
import { hasSignature, isSigned } from "./hook-signature.ts";
import { FORWARDED_HEADER, type Leader, passOn } from "./pass-on.ts";
import { readPush } from "./push-payload.ts";
import { limitRefresh, type Refresh } from "./refresh-limit.ts";
import { repositoryKeyOf } from "./repository-key.ts";
import { rememberDeliveries } from "./seen-deliveries.ts";

export interface HooksRouteOptions {
  readonly hooks: Hooks;
  /** URLs of the sources of all resources, as written in their specs. */
  readonly urls: () => Iterable<string>;
  /** Triggers a poll of the remote with exactly this URL, of which a ref was pushed; `Sources.refresh`. */
  readonly refresh: Refresh;
  /** Finds the leader: only that instance polls remotes. Default: this one. */
  readonly leader?: () => Leader | Promise<Leader>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the signature of a request is valid, before it is processed. */
  readonly onSigned?: (request: IncomingMessage) => void;
  /** Called once per request, for metrics. */
  readonly observe?: (outcome: HookOutcome) => void;
}

const path = /^\/hooks\/([A-Za-z0-9][\w-]{0,62})$/;
/** A sender that has not read the answer by then does not get it: it is still sending a body that was rejected. */
const lingerMs = 500;
const refusalLogMs = 60_000;

const deliveryHeaders = [
  "x-github-delivery",
  "x-gitea-delivery",
  "x-forgejo-delivery",
  "x-gitlab-event-uuid",
  "webhook-id",
];

const refusals: Readonly<Record<Exclude<HookRefusal, "broken">, readonly [status: number, text: string]>> = {
  "not-found": [404, "not found: hooks are at /hooks/<name>"],
  method: [405, "method not allowed: hooks accept POST"],
  "too-large": [413, "the body is larger than 1 MiB"],
  unsigned: [401, "there is no such hook, or the signature is missing, wrong or too old"],
  malformed: [400, "the body is neither JSON nor a form with a payload"],
  busy: [503, "too many bodies are being read: try again"],
  "no-leader": [503, "this instance is not the leader, and the leader is unreachable: try again"],
};

/**
 * `POST /hooks/<name>`: a repository was pushed to. The sender's headers are checked before the body is read, and the
 * signature over the raw bytes before anything is parsed. The answer never waits for git. An unknown hook has the same
 * answer as a wrong signature, and takes as long.
 */
export function createHooksRoute(options: HooksRouteOptions): RequestListener {
  const { hooks, clock, log, observe } = options;
  const readBody = createBodyReader();
  const wasSeen = rememberDeliveries(clock);
  const tell = limitRefresh(options);
  const warnOf = warnSparsely(options);
  const decoy: Hook = { name: "", secrets: [randomUUID() + randomUUID()], url: undefined };

  const judge = async (request: IncomingMessage, response: ServerResponse): Promise<HookOutcome> => {
    const [, name] = path.exec(request.url ?? "") ?? [];
    if (name === undefined) return "not-found";
    if (request.method !== "POST") return "method";
    if (!hasSignature(request.headers)) return "unsigned";
    const read = await readBody(request, response);
    if ("refused" in read) return read.refused;
    const { body } = read;
    const found = await hooks.find(name);
    const { secrets, url } = found ?? decoy;
    const nowMs = clock.wallClock().getTime();
    const isAuthentic = isSigned({ headers: request.headers, body, secrets, nowMs });
    if (!isAuthentic || found === undefined) return "unsigned";
    options.onSigned?.(request);
    const leader = options.leader === undefined ? "self" : await options.leader();
    if (leader !== "self") return await giveTo(leader, request, body);
    const push = readPush(body, request.headers["content-type"]);
    if (push === undefined) return "malformed";
    const id = deliveryHeaders.map((header) => request.headers[header]).find((value) => value !== undefined);
    if (wasSeen(name, id)) return "repeated";
    const told = urlsOf(push.urls, url, options.urls());
    for (const one of told) tell(one, push.ref);
    log.info("Received a webhook for a push", { hook: name, ref: push.ref, remotes: told.length });
    return told.length === 0 ? "unrelated" : "accepted";
  };

  return (request, response) => {
    judge(request, response)
      .then((outcome) => {
        observe?.(outcome);
        const refusal = refusalOf(outcome);
        if (outcome === "broken") request.socket.destroy();
        else if (refusal === undefined) answer(request, response, { status: 202, text: "accepted", clock });
        else {
          warnOf(outcome);
          const [status, text] = refusal;
          answer(request, response, { status, text, clock });
        }
      })
      .catch((error: unknown) => {
        log.error("Cannot answer a webhook", { error });
        request.socket.destroy();
      });
  };
}

async function giveTo(
  leader: Exclude<Leader, "self">,
  request: IncomingMessage,
  body: Buffer,
): Promise<HookOutcome> {
  if (leader === undefined || FORWARDED_HEADER in request.headers) return "no-leader";
  const { address } = leader;
  const isTaken = await passOn({ address, path: request.url ?? "", headers: request.headers, body });
  return isTaken ? "passed-on" : "no-leader";
}

/** The URLs of resources whose repository the sender named, within the repository that the hook is bound to. */
function urlsOf(named: readonly string[], bound: string | undefined, known: Iterable<string>): string[] {
  const told = new Set(named.flatMap((url) => repositoryKeyOf(url) ?? []));
  const own = bound === undefined ? undefined : repositoryKeyOf(bound);
  // If the sender names no repository, a bound hook refers to its own.
  const wanted = own === undefined ? told : new Set(told.size === 0 || told.has(own) ? [own] : []);
  if (wanted.size === 0) return [];
  return [...new Set(known)].filter((url) => {
    const key = repositoryKeyOf(url);
    return key !== undefined && wanted.has(key);
  });
}

function refusalOf(outcome: HookOutcome): readonly [status: number, text: string] | undefined {
  return (refusals as Readonly<Record<string, readonly [number, string]>>)[outcome];
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly clock: Clock;
}

function answer(request: IncomingMessage, response: ServerResponse, { status, text, clock }: Answer): void {
  const body = `${text}\n`;
  const isRead = request.complete;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "X-Content-Type-Options": "nosniff",
    ...(status === 405 && { Allow: "POST" }),
    ...(status === 503 && { "Retry-After": "1" }),
    ...(!isRead && { Connection: "close" }),
  });
  if (isRead) return void response.end(body);
  // If the response were ended here, Node would read the rest of the body, whatever its size, or reset the connection
  // before the sender has read the answer.
  response.write(body);
  const cancel = clock.schedule(lingerMs, () => request.socket.destroy());
  request.socket.once("close", cancel);
}

/** One line a minute: senders without the secret cannot fill the log. */
function warnSparsely({ clock, log }: Pick<HooksRouteOptions, "clock" | "log">): (why: HookOutcome) => void {
  const rate = new TokenBuckets({ burst: 1, intervalMs: refusalLogMs });
  let count = 0;
  return (why) => {
    count++;
    if (!rate.take("", clock.now())) return;
    log.warn("Refused webhooks", { why, count });
    count = 0;
  };
}
