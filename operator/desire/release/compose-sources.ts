import type { SharedParts } from "../../compose/shared-parts.ts";
import type { SourceZone } from "../../git/source/compose-source-zone.ts";
import type { SourceAnswers, Sources } from "../../git/source/ports.ts";
import type { Logger } from "../../ports.ts";
import type { Renderer } from "../../render/ports.ts";
import { createRenderer } from "../../render/renderer.ts";
import { composeSandbox, type Sandbox } from "../../sandbox/compose-sandbox.ts";
import { planMemory } from "../../sandbox/plan-memory.ts";

export interface ComposeSourcesOptions {
  readonly sourceZone: SourceZone;
  /** Requeues Releases whose source or render has changed. */
  readonly wake: (keys: readonly string[]) => void;
  readonly log: Logger;
}

export interface ComposedSources {
  readonly sources: Sources & SourceAnswers;
  readonly renderer: Renderer;
  readonly sandbox: Sandbox;
  readonly closeSources: () => Promise<void>;
}

/** Connects the parts that turn repositories into manifests. None starts before it is needed. */
export function composeSources(
  { config, clock, random, metrics, memoryLimit, isolation, reportIsolation }: SharedParts,
  { sourceZone, wake, log }: ComposeSourcesOptions,
): ComposedSources {
  const { sources } = sourceZone;
  sources.subscribe(wake);
  const containerMemory = config.releaseMemory ?? memoryLimit;
  const memory = planMemory(containerMemory);
  const sandbox = composeSandbox({
    zoneSockets: config.zoneSockets,
    longestProgramMs: config.releaseProgramTimeout,
    memoryLimit: memory.rendered.perNamespace,
    containerMemory,
    clock,
    random,
    log,
    isolation,
    onIsolation: (process, found) => reportIsolation({ zone: "sandbox", process }, found),
    requireIsolation: config.releaseRequireSandbox,
    observe: (seen) => (seen.did === "bundle" ? metrics?.sources.bundled() : metrics?.sources.ran(seen)),
  });
  const renderer = createRenderer({
    clock,
    log,
    runner: sandbox,
    keptLimits: memory.rendered,
    longestProgramMs: config.releaseProgramTimeout,
    onChange: (key) => wake([key]),
    observe: (run) => metrics?.sources.rendered(run),
  });
  metrics?.sources.watchSources(() => sources.stats);
  const closeSources = async (): Promise<void> => {
    await Promise.all([sourceZone.close(), renderer.close()]);
    sandbox.close();
  };
  return { sources, renderer, sandbox, closeSources };
}
