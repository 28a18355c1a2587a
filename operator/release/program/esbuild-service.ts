import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BuildOptions, Message, TransformOptions } from "esbuild";
import type { Clock } from "../../ports.ts";
import { watchMemory } from "./memory-watch.ts";
import { programLimit } from "./program-failure.ts";

/** One build. */
export type BuildOutcome =
  | {
      readonly ok: true;
      readonly files: readonly { readonly path: string; readonly text: string }[];
      readonly inputs: readonly string[];
    }
  | { readonly ok: false; readonly messages: readonly Message[] };

/** esbuild in its own process, which is started when it is needed and does not outlive an idle minute. */
export interface Esbuild {
  /** @throws ReleaseError RenderLimit when the build takes too long or too much memory. */
  build(options: BuildOptions): Promise<BuildOutcome>;
  /** One file by itself, while a build is under way. Reads nothing. */
  transform(text: string, options: TransformOptions): Promise<string>;
  close(): void;
}

export interface EsbuildOptions {
  readonly clock: Clock;
  readonly idleMs?: number;
  readonly timeoutMs?: number;
  readonly memoryMiB?: number;
}

/** A source that is nested very deeply fills the stack of a bundler, whose process then ends. */
export function createEsbuild(options: EsbuildOptions): Esbuild {
  const { clock, idleMs = 30_000, timeoutMs = 10_000, memoryMiB = 384 } = options;
  let [running, generation] = [0, 0];
  let process: ChildProcess | undefined;
  let stopIdle = (): void => {};

  async function build(buildOptions: BuildOptions): Promise<BuildOutcome> {
    stopIdle();
    running += 1;
    const esbuild = await import("esbuild");
    const at = generation;
    let ended: string | undefined;
    const end = (why: string): void => {
      ended = why;
      // Its own stop() asks the process to end, which is deaf while it recurses.
      process?.kill("SIGKILL");
    };
    let unwatch = (): void => {};
    const cancel = clock.schedule(timeoutMs, () => end(`bundling takes longer than ${timeoutMs / 1_000} s`));
    try {
      const building = observeStart(() => esbuild.build(buildOptions));
      const pid = process?.pid;
      if (pid !== undefined) {
        unwatch = watchMemory(pid, {
          clock,
          limitMiB: memoryMiB,
          onOver: () => end(`bundling takes more than ${memoryMiB} MiB of memory`),
        });
      }
      const { outputFiles = [], metafile } = await building;
      const inputs = Object.keys(metafile?.inputs ?? {});
      return { ok: true, files: outputFiles.map(({ path, text }) => ({ path, text })), inputs };
    } catch (error) {
      const messages = (error as { errors?: readonly Message[] }).errors;
      if (messages !== undefined && messages.length > 0 && ended === undefined)
        return { ok: false, messages };
      // The service is gone, and would answer every later build with an error.
      if (at === generation) {
        generation += 1;
        process = undefined;
        await esbuild.stop();
      }
      throw programLimit(ended ?? "the bundler gave up on its sources: they may be nested too deeply");
    } finally {
      cancel();
      unwatch();
      running -= 1;
      if (running === 0) stopIdle = clock.schedule(idleMs, close);
    }
  }

  async function transform(text: string, transformOptions: TransformOptions): Promise<string> {
    const esbuild = await import("esbuild");
    return (await esbuild.transform(text, transformOptions)).code;
  }

  /** esbuild starts its process with the first build, and tells nobody which it is. */
  function observeStart<T>(start: () => T): T {
    const observe = (message: unknown): void => {
      process = (message as { process: ChildProcess }).process;
    };
    subscribe("child_process", observe);
    try {
      return start();
    } finally {
      unsubscribe("child_process", observe);
    }
  }

  function close(): void {
    stopIdle();
    if (process === undefined) return;
    process.kill("SIGKILL");
    process = undefined;
    generation += 1;
    void import("esbuild").then(({ stop }) => stop());
  }

  return { build, transform, close };
}
