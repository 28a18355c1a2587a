import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BuildOptions, Message, TransformOptions } from "esbuild";
import type { Clock } from "../../ports.ts";
import { watchMemory } from "./memory-watch.ts";
import { programLimit } from "./program-failure.ts";
import { OverShareError } from "./program-memory.ts";

/** One build. */
export type BuildOutcome =
  | {
      readonly ok: true;
      readonly files: readonly { readonly path: string; readonly text: string }[];
      readonly inputs: readonly string[];
    }
  | { readonly ok: false; readonly messages: readonly Message[] };

/** esbuild in its own process, which is started when it is needed and ends after half a minute without work. */
export interface Esbuild {
  /**
   * @param most.shareMiB A smaller limit of memory than the service has.
   * @throws SourceError RenderLimit when the build takes too much time or memory; OverShareError when it exceeds its
   * share.
   */
  build(options: BuildOptions, most?: { readonly shareMiB?: number | undefined }): Promise<BuildOutcome>;
  /** Transforms one file by itself, also during a build. Reads no files. */
  transform(text: string, options: TransformOptions): Promise<string>;
  close(): void;
}

export interface EsbuildOptions {
  readonly clock: Clock;
  readonly idleMs?: number;
  readonly timeoutMs?: number;
  readonly memoryMiB?: number;
}

/** Options of {@link EsbuildService}. */
export function createEsbuild(options: EsbuildOptions): Esbuild {
  return new EsbuildService(options);
}

/** A running build. */
interface Running {
  /** Whether another build ran at the same time. */
  isShared: boolean;
  /** The process is killed when it exceeds this memory. */
  readonly shareMiB: number | undefined;
  /** Why its process had to be killed. */
  endedFor?: Error;
}

/** The process ended during the build. */
class ServiceEndedError extends Error {
  override readonly name = "ServiceEndedError";
}

/**
 * All builds share one process. A very deeply nested source overflows its stack, and a single build cannot be cancelled:
 * then the process is killed, and the builds that ran together are repeated one by one, to find the one that causes it.
 */
class EsbuildService implements Esbuild {
  readonly #options: Required<EsbuildOptions>;
  readonly #running = new Set<Running>();
  #process: ChildProcess | undefined;
  /** Resolves when no bundle is built alone. */
  #alone: Promise<unknown> = Promise.resolve();
  #stopIdle = (): void => {};

  constructor({ clock, idleMs = 30_000, timeoutMs = 10_000, memoryMiB = 384 }: EsbuildOptions) {
    this.#options = { clock, idleMs, timeoutMs, memoryMiB };
  }

  async build(
    options: BuildOptions,
    { shareMiB }: { readonly shareMiB?: number | undefined } = {},
  ): Promise<BuildOutcome> {
    await this.#alone;
    const running: Running = { isShared: false, shareMiB };
    try {
      return await this.#attempt(options, running);
    } catch (error) {
      if (!(error instanceof ServiceEndedError)) throw error;
      if (!running.isShared) throw error.cause;
    }
    const turn = this.#alone.then(() => this.#attempt(options, { isShared: false, shareMiB }));
    this.#alone = turn.catch(() => {});
    return turn.catch((error: Error) => {
      throw error instanceof ServiceEndedError ? error.cause : error;
    });
  }

  async transform(text: string, options: TransformOptions): Promise<string> {
    const esbuild = await import("esbuild");
    return (await esbuild.transform(text, options)).code;
  }

  close(): void {
    this.#stopIdle();
    if (this.#process !== undefined) void this.#end(this.#process);
  }

  async #attempt(options: BuildOptions, running: Running): Promise<BuildOutcome> {
    const { clock, idleMs } = this.#options;
    const { build } = await import("esbuild");
    this.#stopIdle();
    this.#running.add(running);
    if (this.#running.size > 1) for (const other of this.#running) other.isShared = true;
    const building = this.#observeStart(() => build(options));
    const service = this.#process;
    const unwatch = service === undefined ? () => {} : this.#watch(service, running);
    try {
      const { outputFiles = [], metafile } = await building;
      const inputs = Object.keys(metafile?.inputs ?? {});
      return { ok: true, files: outputFiles.map(({ path, text }) => ({ path, text })), inputs };
    } catch (error) {
      const messages = (error as { errors?: readonly Message[] }).errors ?? [];
      const isAlive = service?.exitCode === null && service.signalCode === null && !service.killed;
      if (messages.length > 0 && isAlive) return { ok: false, messages };
      if (service !== undefined) await this.#end(service);
      const cause = running.endedFor ?? programLimit("the bundler could not process its sources");
      throw new ServiceEndedError(cause.message, { cause });
    } finally {
      unwatch();
      this.#running.delete(running);
      if (this.#running.size === 0) this.#stopIdle = clock.schedule(idleMs, () => this.close());
    }
  }

  #watch(service: ChildProcess, running: Running): () => void {
    const { clock, timeoutMs, memoryMiB } = this.#options;
    const limitMiB = running.shareMiB ?? memoryMiB;
    const end = (why: Error): void => {
      running.endedFor = why;
      // esbuild's stop() sends a request to the process, which does not read it during a deep recursion.
      service.kill("SIGKILL");
    };
    const seconds = timeoutMs / 1_000;
    const cancel = clock.schedule(timeoutMs, () =>
      end(programLimit(`bundling takes longer than ${seconds} s`)),
    );
    const tooMuch = `bundling takes more than ${limitMiB} MiB of memory`;
    const onOver = (): void =>
      end(
        running.shareMiB === undefined ? programLimit(tooMuch) : new OverShareError("RenderLimit", tooMuch),
      );
    const unwatch =
      service.pid === undefined ? () => {} : watchMemory(service.pid, { clock, limitMiB, onOver });
    return () => {
      cancel();
      unwatch();
    };
  }

  /** esbuild starts its process with the first build, and does not report its pid. */
  #observeStart<T>(start: () => T): T {
    const observe = (message: unknown): void => {
      this.#process = (message as { process: ChildProcess }).process;
    };
    subscribe("child_process", observe);
    try {
      return start();
    } finally {
      unsubscribe("child_process", observe);
    }
  }

  /** The next build starts another process: without this, esbuild would return errors forever. */
  async #end(service: ChildProcess): Promise<void> {
    if (this.#process !== service) return;
    this.#process = undefined;
    service.kill("SIGKILL");
    await (await import("esbuild")).stop();
  }
}
