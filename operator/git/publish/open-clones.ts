import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { LocalClone } from "./local-clone.ts";

interface OpenClone {
  readonly clone: LocalClone;
  /** Resolves when nothing runs any more. */
  idle: Promise<unknown>;
}

/** The clones that the operator has opened. They are its connection's, and are closed when that ends. */
export class OpenClones {
  readonly #open = new Map<number, OpenClone>();
  /** Those of the connection before: who opens one of them again must find it free. */
  #closing: Promise<unknown> = Promise.resolve();

  /** Closes all clones when the signal aborts. */
  async hold(signal: AbortSignal): Promise<void> {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await this.closeAll();
  }

  /** Opens a clone, unless its connection has ended. One that was opened under this number before is closed. */
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

  /** Does something with a clone. */
  async use<Result>(id: number, run: (clone: LocalClone) => Promise<Result>): Promise<Result> {
    const open = this.#open.get(id);
    if (open === undefined) throw new Error("The clone is not open");
    const running = run(open.clone);
    open.idle = running.catch(() => undefined);
    return await running;
  }

  /** Ends what runs in a clone, and lets another process use it. */
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
