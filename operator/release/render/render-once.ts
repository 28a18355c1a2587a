import type { Clock } from "../../ports.ts";
import type { Rendered, RenderRequest } from "../ports.ts";
import { type ProgramRunner, runRender } from "./render-task.ts";
import { Turns } from "./turns.ts";

/**
 * One render without a memory, for the command line.
 *
 * @throws {ReleaseError}
 */
export async function renderOnce(
  request: RenderRequest,
  { clock, programs }: { readonly clock: Clock; readonly programs: ProgramRunner },
): Promise<Rendered> {
  return runRender(request, { turns: new Turns(clock), programs });
}
