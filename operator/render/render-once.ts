import { toMilliseconds } from "../../crds/duration.ts";
import type { Clock } from "../ports.ts";
import type { Rendered, RenderRequest } from "./ports.ts";
import { renderManifests } from "./render-manifests.ts";
import { checkWay, type ProgramRunner } from "./render-task.ts";
import { Turns } from "./turns.ts";

/**
 * One render in this process, without a cache, for the command line.
 *
 * @throws {SourceError}
 */
export async function renderOnce(
  { key, namespace, render, revision }: RenderRequest,
  { clock, programs }: { readonly clock: Clock; readonly programs: ProgramRunner },
): Promise<Rendered> {
  checkWay(render);
  const { repositoryId, tree, files } = revision;
  if (render.program === undefined) return renderManifests(files, new Turns(clock).begin());
  const { entry, inputs, timeout } = render.program;
  const timeoutMs = toMilliseconds(timeout);
  return programs.run({ key, namespace, repositoryId, tree, entry, inputs, timeoutMs, files });
}
