import { estimateMemory } from "./estimate-memory.ts";
import type { Rendered } from "./ports.ts";
import type { RenderEntry } from "./render-entry.ts";
import type { SizedRendered } from "./render-manifests.ts";

export interface IdleRendersOptions {
  /** Maximum memory of all idle renders, in bytes, as estimated. */
  readonly limit: number;
}

/**
 * Finished renders that no resource uses at present, kept for a rollback or a revert. The least recently used are
 * removed first.
 */
export class IdleRenders {
  readonly #limit: number;
  readonly #sizes = new Map<string, number>();
  #total = 0;

  constructor({ limit }: IdleRendersOptions) {
    this.#limit = limit;
  }

  /** @returns Ids of the renders that must be removed to make room for it. */
  add({ id, state }: RenderEntry): readonly string[] {
    const size = state.state === "ready" ? sizeOf(state.rendered) : 1_000;
    this.remove(id);
    this.#sizes.set(id, size);
    this.#total += size;
    const gone: string[] = [];
    for (const [oldest, oldSize] of this.#sizes) {
      if (this.#total <= this.#limit) break;
      this.#sizes.delete(oldest);
      this.#total -= oldSize;
      gone.push(oldest);
    }
    return gone;
  }

  remove(id: string): void {
    this.#total -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
  }
}

/** Memory that a render takes, in bytes, as estimated. */
export function sizeOf(rendered: Rendered | SizedRendered): number {
  // Encoding a large folder as JSON only to measure it would block the event loop for too long.
  if ("size" in rendered) return rendered.size;
  return rendered.manifests.reduce(
    (size, manifest) => size + estimateMemory(JSON.stringify(manifest)),
    1_000,
  );
}
