import { toMilliseconds } from "../../crds/duration.ts";
import type { Clock } from "../../operator/ports.ts";
import { renderManifests } from "../../operator/render/render-manifests.ts";
import type { RenderRunner } from "../../operator/render/render-runner.ts";
import type { ProgramRunner } from "../../operator/render/render-task.ts";
import { Turns } from "../../operator/render/turns.ts";

export interface InProcessRunnerOptions {
  readonly clock: Clock;
  readonly programs: ProgramRunner;
  /** Maximum memory of the objects of one folder, in bytes, as estimated. Default: no limit. */
  readonly memoryLimit?: number | undefined;
}

/** Renders in this process, for tests that do not concern the sandbox zone. */
export function createInProcessRunner({
  clock,
  programs,
  memoryLimit,
}: InProcessRunnerOptions): RenderRunner {
  const turns = new Turns(clock);
  const limits = memoryLimit === undefined ? {} : { memoryLimit };
  return {
    warmUp: () => {},
    run: async ({ key, namespace, render, revision }, patience) => {
      const { repositoryId, tree, files } = revision;
      if (render.program === undefined) return renderManifests(files, turns.begin(), limits);
      const { entry, inputs, timeout } = render.program;
      const timeoutMs = toMilliseconds(timeout);
      return programs.run({ key, namespace, repositoryId, tree, entry, inputs, timeoutMs, files, patience });
    },
  };
}
