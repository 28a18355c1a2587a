import type { Clock } from "../../ports.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

export interface IdleSandboxesOptions {
  readonly clock: Clock;
  /** A process that was not used for this time ends. */
  readonly idleMs: number;
}

interface Idle {
  readonly namespace: string;
  /** Identifies the program and its namespace. */
  readonly key: string;
  readonly sandbox: SandboxProcess;
  readonly cancel: () => void;
}

/** Maximum number of processes that wait for another run of their program. */
const MOST = 3;

/** Processes that have run a program, and wait for another run of it. */
export class IdleSandboxes {
  readonly #options: IdleSandboxesOptions;
  /** Oldest first. */
  #idle: Idle[] = [];

  constructor(options: IdleSandboxesOptions) {
    this.#options = options;
  }

  /** Total memory of these processes at present: a program that escaped from its context can take more after its answer. */
  get memoryMiB(): number {
    return this.#idle.reduce((sum, { sandbox }) => sum + sandbox.ownMiB, 0);
  }

  put(idle: Omit<Idle, "cancel">): void {
    const { clock, idleMs } = this.#options;
    // One that ended by itself, or used too much, takes no place of others.
    this.#end(({ sandbox }) => sandbox.isOver);
    const stopWatching = idle.sandbox.watchIdle();
    const cancelEnd = clock.schedule(idleMs, () => this.#end((other) => other.sandbox === idle.sandbox));
    const cancel = (): void => {
      stopWatching();
      cancelEnd();
    };
    this.#idle.push({ ...idle, cancel });
    const [oldest] = this.#idle;
    if (this.#idle.length > MOST) this.#end((other) => other === oldest);
  }

  take(key: string): SandboxProcess | undefined {
    const found = this.#idle.findLast((idle) => idle.key === key && !idle.sandbox.isOver);
    if (found === undefined) return undefined;
    found.cancel();
    this.#idle = this.#idle.filter((idle) => idle !== found);
    return found.sandbox;
  }

  /** Ends the processes of all other namespaces. Resolves when they have ended. */
  async endOthers(namespace: string): Promise<void> {
    await this.#end((idle) => idle.namespace !== namespace);
  }

  /** Ends the oldest processes until the others use no more than this. Resolves when they have ended. */
  async shrinkTo(memoryMiB: number): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const oldest of [...this.#idle]) {
      if (this.memoryMiB <= memoryMiB) break;
      ends.push(this.#end((idle) => idle === oldest));
    }
    await Promise.all(ends);
  }

  close(): void {
    this.#end(() => true);
  }

  async #end(isMeant: (idle: Idle) => boolean): Promise<void> {
    const ending = this.#idle.filter(isMeant);
    this.#idle = this.#idle.filter((idle) => !ending.includes(idle));
    for (const { cancel, sandbox } of ending) {
      cancel();
      sandbox.kill();
    }
    await Promise.all(ending.map(({ sandbox }) => sandbox.ended));
  }
}
