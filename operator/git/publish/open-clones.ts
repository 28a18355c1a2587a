import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { LocalClone } from "./local-clone.ts";

interface OpenClone {
  readonly clone: LocalClone;
  /** Resolves when nothing runs in the clone. */
  idle: Promise<unknown>;
}

/** The clones that the operator has opened over one connection. They are closed when the connection ends. */
export class OpenClones {
  readonly #open = new Map<number, OpenClone>();
  /** The clones of the previous connection: a clone must be released before it is opened again. */
  #closing: Promise<unknown> = Promise.resolve();

  /** Closes all clones when the signal aborts. */
  async hold(signal: AbortSignal): Promise<void> {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await this.closeAll();
  }

  /** Opens a clone, unless its connection has ended. A clone that was opened with the same number before is closed. */
  async open(id: number, signal: AbortSignal, create: () => LocalClone): Promise<ObjectFormat> {
    await this.#closing;
    await this.close(id);
    signal.throwIfAborted();
    const clone = create();
    const opening = clone.open();
    this.#open.set(id, { clone, idle: opening.catch(() => undefined) });
    try {
      await opening;
      return clone.format;
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  /** Calls a function with a clone. */
  async use<Result>(id: number, run: (clone: LocalClone) => Promise<Result>): Promise<Result> {
    const open = this.#open.get(id);
    if (open === undefined) throw new Error("The clone is not open");
    const running = run(open.clone);
    open.idle = running.catch(() => undefined);
    return await running;
  }

  /** Kills running git processes of a clone, and releases its lock. */
  async close(id: number): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    open.clone.kill();
    await open.idle;
    await open.clone.close();
  }

  async closeAll(): Promise<void> {
    this.#closing = Promise.all([this.#closing, ...[...this.#open.keys()].map((id) => this.close(id))]);
    await this.#closing;
  }
}
