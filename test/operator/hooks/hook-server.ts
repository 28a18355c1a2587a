import { createHmac } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Hook, HookOutcome } from "../../../operator/hooks/hook.ts";
import type { Leader } from "../../../operator/hooks/pass-on.ts";
import { serveHooks } from "../../../operator/hooks/serve-hooks.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

export const secret = "a secret of some length";
export const shopUrl = "https://git.example.com/shop/web.git";

export interface HookServer {
  readonly address: string;
  /** URLs of the requested polls, in order. */
  readonly refreshed: readonly string[];
  /** The pushed refs that they name. */
  readonly pushed: readonly (string | undefined)[];
  /** One outcome per answered request. */
  readonly outcomes: readonly HookOutcome[];
  readonly log: RecordingLogger;
  post(body: string | Uint8Array, headers?: Readonly<Record<string, string>>, path?: string): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface HookServerOptions {
  readonly hooks?: readonly Hook[];
  readonly urls?: readonly string[];
  readonly leader?: () => Leader;
}

/** Hooks on a port of this machine, for one test: `shop`, and `bound`, which is bound to the shop's repository. */
export async function aHookServer({
  hooks = [
    { name: "shop", secrets: [secret], url: undefined },
    { name: "bound", secrets: [secret], url: "git@git.example.com:shop/web.git" },
  ],
  urls = [shopUrl, "ssh://git@git.example.com/shop/web", "https://git.example.com/other/one"],
  leader,
}: HookServerOptions = {}): Promise<HookServer> {
  const pushed: (string | undefined)[] = [];
  const [refreshed, outcomes, log] = [[] as string[], [] as HookOutcome[], new RecordingLogger()];
  const server = await serveHooks("127.0.0.1:0", {
    hooks: { find: async (name) => hooks.find((hook) => hook.name === name) },
    urls: () => urls,
    refresh: (url, ref) => {
      refreshed.push(url);
      pushed.push(ref);
    },
    observe: (outcome) => void outcomes.push(outcome),
    ...(leader !== undefined && { leader }),
    clock: systemClock(),
    log,
  });
  if (server === undefined) throw new Error("Nothing is served");
  onTestFinished(() => server.close());
  const { address } = server;
  const post: HookServer["post"] = async (body, headers = {}, path = "/hooks/shop") => {
    const response = await fetch(`http://${address}${path}`, {
      method: "POST",
      body: Buffer.from(body),
      headers,
    });
    return { status: response.status, text: await response.text() };
  };
  return { address, refreshed, pushed, outcomes, log, post };
}

/** The header of a sender that knows the secret. */
export function signed(body: string | Uint8Array, key = secret): Record<string, string> {
  const hex = createHmac("sha256", key).update(body).digest("hex");
  return { "content-type": "application/json", "x-hub-signature-256": `sha256=${hex}` };
}

/** The body of a push to a repository. */
export function aPush(cloneUrl = shopUrl): string {
  return JSON.stringify({ ref: "refs/heads/main", repository: { clone_url: cloneUrl } });
}
