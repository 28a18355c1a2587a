import type { Link } from "../../zones/link.ts";
import type { WantItem } from "./messages.ts";

/** Maximum requests of one message, and their characters of JSON: many large Secrets are sent in several messages. */
const [MOST_ITEMS, MOST_CHARACTERS] = [200, 2 * 2 ** 20];
/** The zone only records the requests. */
const DEADLINE_MS = 30_000;

export interface WantSenderOptions {
  /** The request that is sent to the zone for a resource. */
  readonly itemOf: (key: string) => WantItem;
  /** Called when the zone has received the complete list for the first time on this connection. */
  readonly onComplete: () => void;
}

/**
 * Sends requests to the zone over one connection: one message at a time. Changes during a message are sent in the next
 * one.
 */
export class WantSender {
  readonly #link: Link;
  readonly #options: WantSenderOptions;
  readonly #changed: Set<string>;
  #isSending = false;
  #isComplete = false;

  /** @param keys All followed resources. */
  constructor(link: Link, keys: Iterable<string>, options: WantSenderOptions) {
    this.#link = link;
    this.#options = options;
    this.#changed = new Set(keys);
    void this.#send();
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Call it when the request of a resource has changed. */
  add(key: string): void {
    this.#changed.add(key);
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (!this.#isComplete || this.#changed.size > 0) {
        const text = this.#next();
        const complete = this.#changed.size === 0;
        const message = { body: { complete }, parts: [Buffer.from(text)] };
        await this.#link.request("want", message, { read: () => undefined, deadlineMs: DEADLINE_MS });
        if (!complete || this.#isComplete) continue;
        this.#isComplete = true;
        this.#options.onComplete();
      }
    } catch (error) {
      // The complete list is sent again over the next connection.
      this.#link.close(error as Error);
    } finally {
      this.#isSending = false;
    }
  }

  #next(): string {
    const items: string[] = [];
    let characters = 0;
    for (const key of this.#changed) {
      if (items.length >= MOST_ITEMS || characters > MOST_CHARACTERS) break;
      this.#changed.delete(key);
      const item = JSON.stringify(this.#options.itemOf(key));
      characters += item.length;
      items.push(item);
    }
    return `[${items.join(",")}]`;
  }
}
