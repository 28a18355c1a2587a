import type { Clock } from "../../ports.ts";
import type { Rendered, RenderRequest, RunPatience } from "../ports.ts";
import { FairSlots } from "../program/fair-slots.ts";
import type { RenderManifestsOptions } from "./render-manifests.ts";
import { type ProgramRunner, runRender } from "./render-task.ts";
import { Turns } from "./turns.ts";

/** Where sources are rendered. Each call renders; what is remembered is the renderer's to decide. */
export interface RenderRunner {
  /** There will be a program to run in a moment. */
  warmUp(): void;
  /**
   * Renders once.
   *
   * @throws ReleaseError for what is wrong with the source; anything else passes by itself, and is tried again.
   */
  run(request: RenderRequest, patience: RunPatience): Promise<Rendered>;
}

export interface InProcessRunnerOptions {
  readonly clock: Clock;
  readonly programs: ProgramRunner & { readonly warmUp?: () => void };
  /** Most memory that the objects of one folder may take, in bytes, as estimated. Default: no limit. */
  readonly memoryLimit?: number;
}

/** Large portions of folders that are read into objects at a time, which takes up to 64 MiB each. */
const LARGE_PORTIONS = 1;

/** Reads folders in this process: for tests, and for commands that render what is the user's own. */
export function createInProcessRunner({
  clock,
  programs,
  memoryLimit,
}: InProcessRunnerOptions): RenderRunner {
  const turns = new Turns(clock);
  const portions = new FairSlots({ all: LARGE_PORTIONS, clock });
  const foldersOf = (namespace: string): RenderManifestsOptions => ({
    ...(memoryLimit !== undefined && { memoryLimit }),
    takePlace: async () => (await portions.take(namespace)).release,
  });
  return {
    warmUp: () => programs.warmUp?.(),
    run: (request, patience) =>
      runRender(request, { turns, programs, patience, folders: foldersOf(request.namespace) }),
  };
}
