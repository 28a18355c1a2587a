import type { WantItem } from "../../operator/git/source/messages.ts";
import type { AskBack, IncomingRequest, Serve } from "../../operator/zones/incoming-requests.ts";
import { aSocketFolder, aZone, SourcesOfZone } from "./source-zone.ts";

export const [one, other] = ["1", "2"].map((digit) => digit.repeat(40)) as [string, string];
export const tree = "a".repeat(40);
export const aCommit = (id: string) => ({
  id,
  author: "Ann",
  subject: "Raise it",
  committedAt: "2026-01-01T00:00:00Z",
});
export const aState = (id: string, more: object = {}) => ({
  head: aCommit(id),
  changed: aCommit(id),
  tree,
  ...more,
});

/** A zone whose states the test sets, and which records its requests. */
export class ScriptedZone {
  readonly wanted = new Map<string, WantItem>();
  readonly batches: string[][] = [];
  follower: IncomingRequest | undefined;
  operator: AskBack | undefined;
  /** It accepts no requests for sources. */
  hangs = false;
  onFollow: (request: IncomingRequest) => void = () => undefined;
  /** Answers all other requests. */
  more: Serve = async () => ({ body: {} });

  readonly serve: Serve = async (request, back) => {
    if (request.name === "follow") {
      this.follower = request;
      this.operator = back;
      this.onFollow(request);
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return { body: {} };
    }
    if (request.name !== "want") return await this.more(request, back);
    if (this.hangs) await new Promise(() => undefined);
    const items = JSON.parse(String(request.parts[0])) as WantItem[];
    this.batches.push(items.map(({ key }) => key));
    for (const item of items) {
      if (item.request === undefined) this.wanted.delete(item.key);
      else this.wanted.set(item.key, item);
    }
    return { body: {} };
  };

  say(key: string, state: object, version = this.wanted.get(key)?.version ?? 0): void {
    void this.follower?.send({ body: { key, version, state } });
  }
}

/** The operator's side of a scripted zone. */
export async function aScriptedZone() {
  const folder = aSocketFolder();
  const zone = new ScriptedZone();
  const { die, revive } = await aZone(folder, zone.serve);
  const it = new SourcesOfZone(folder);
  const restart = async (): Promise<void> => {
    die();
    zone.wanted.clear();
    zone.follower = undefined;
    await revive();
  };
  return { zone, it, die, restart };
}
