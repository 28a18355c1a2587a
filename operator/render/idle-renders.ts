import { estimateMemory } from "./estimate-memory.ts";
import type { Rendered } from "./ports.ts";
import type { RenderEntry } from "./render-entry.ts";
import type { SizedRendered } from "./render-manifests.ts";

export interface IdleRendersOptions {
  /** Memory that is kept in all, in bytes, as estimated. */
  readonly limit: number;
}

/** Finished renders that no resource asks for now, for a rollback or a revert: the longest unused go first. */
export class IdleRenders {
  readonly #limit: number;
  readonly #sizes = new Map<string, number>();
  #total = 0;

  constructor({ limit }: IdleRendersOptions) {
    this.#limit = limit;
  }

  /** @returns Ids of the renders to be forgotten for it. */
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
  // To write a large folder as JSON only to measure it would stop everything for a while.
  if ("size" in rendered) return rendered.size;
  return rendered.manifests.reduce(
    (size, manifest) => size + estimateMemory(JSON.stringify(manifest)),
    1_000,
  );
}
