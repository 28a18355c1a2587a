import type { Ground } from "../ground.ts";
import type { Logger } from "../ports.ts";
import { planMemory } from "./core/plan-memory.ts";
import type { Renderer, Sources } from "./ports.ts";
import { createPrograms } from "./program/programs.ts";
import { createInProcessRunner } from "./render/render-runner.ts";
import { createRenderer } from "./render/renderer.ts";
import { createSources } from "./sources/create-sources.ts";

export interface ComposeSourcesOptions {
  /** Where clones of sources are kept. */
  readonly cacheDirectory: string;
  /** Whether sources may be on this machine. */
  readonly allowFile: boolean;
  /** Puts Releases back into their queue: the answer for them changed. */
  readonly wake: (keys: readonly string[]) => void;
  readonly log: Logger;
}

export interface ComposedSources {
  readonly sources: Sources;
  readonly renderer: Renderer;
  /** A program will be rendered soon. */
  readonly warmUp: () => void;
  readonly closeSources: () => Promise<void>;
}

/** Wires what turns repositories into manifests. Nothing runs before it is asked for. */
export function composeSources(
  { config, environment, clock, random, metrics, memoryLimit, walls }: Ground,
  { cacheDirectory, allowFile, wake, log }: ComposeSourcesOptions,
): ComposedSources {
  const sources = createSources({
    cacheDirectory,
    cacheBytes: config.releaseCacheSize,
    clock,
    random,
    log,
    environment,
    allowFile,
    onChange: wake,
  });
  const memory = planMemory(config.releaseMemory ?? memoryLimit);
  const programs = createPrograms({
    clock,
    log,
    limits: { timeoutMs: config.releaseProgramTimeout, ...memory.programs },
    walls,
    requireWalls: config.releaseRequireSandbox,
    observe: (seen) => (seen.did === "bundle" ? metrics?.releases.bundled() : metrics?.releases.ran(seen)),
  });
  const runner = createInProcessRunner({ clock, programs, memoryLimit: memory.rendered.perNamespace });
  const renderer = createRenderer({
    clock,
    log,
    runner,
    keptLimits: memory.rendered,
    onChange: (key) => wake([key]),
    observe: (run) => metrics?.releases.rendered(run),
  });
  metrics?.releases.watchSources(() => sources.stats);
  const closeSources = async (): Promise<void> => {
    await Promise.all([sources.close(), renderer.close()]);
    await programs.close();
  };
  return { sources, renderer, warmUp: () => runner.warmUp(), closeSources };
}
