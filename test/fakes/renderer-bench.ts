import { Release, type ReleaseSpec } from "../../crds/release.ts";
import type { SourceFiles } from "../../operator/git/source/ports.ts";
import type { Rendered, RenderRequest } from "../../operator/render/ports.ts";
import type { ProgramRequest } from "../../operator/render/render-task.ts";
import { createRenderer, type RendererOptions, type RenderRun } from "../../operator/render/renderer.ts";
import { FakeClock } from "./fake-clock.ts";
import { createInProcessRunner } from "./in-process-runner.ts";
import { MemoryFiles } from "./memory-files.ts";
import { RecordingLogger } from "./recording-logger.ts";

/** The result of a program. */
export const rendered = (name: string): Rendered => ({
  manifests: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }],
  origins: ["main"],
  dependencies: new Map(),
  digest: name,
});

/** A renderer whose programs return what the test sets, and a record of its work. */
export function aRenderer(limits: Pick<RendererOptions, "idleLimit" | "keptLimits"> = {}) {
  const clock = new FakeClock();
  const changes: string[] = [];
  const runs: RenderRun[] = [];
  const programRuns: ProgramRequest[] = [];
  let answer: (request: ProgramRequest) => Promise<Rendered> = async ({ tree }) => rendered(tree);
  const renderer = createRenderer({
    clock,
    log: new RecordingLogger(),
    runner: createInProcessRunner({
      clock,
      programs: {
        run(request) {
          programRuns.push(request);
          return answer(request);
        },
      },
      memoryLimit: limits.keptLimits?.perNamespace,
    }),
    onChange: (key) => changes.push(key),
    observe: (run) => runs.push(run),
    ...limits,
  });
  return {
    renderer,
    clock,
    changes,
    runs,
    programRuns,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
  };
}

export const manifests = Release.spec.shape.render.parse({ manifests: {} });
export const program = (inputs?: unknown) =>
  Release.spec.shape.render.parse({ program: { inputs, timeout: "5s" } });
/** A folder with one ConfigMap. */
export const aFolder = (name: string): MemoryFiles =>
  new MemoryFiles({ "a.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n` });

export function request(
  key: string,
  files: SourceFiles & { readonly tree: string },
  render: ReleaseSpec["render"] = manifests,
  {
    namespace = "shop",
    repositoryId = "r",
  }: { readonly namespace?: string; readonly repositoryId?: string } = {},
): RenderRequest {
  return { key, namespace, render, revision: { tree: files.tree, repositoryId, files } };
}
