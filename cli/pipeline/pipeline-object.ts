import type { StatusOf } from "../../crds/kind.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { Pipeline, type PipelineSpec } from "../../crds/pipeline.ts";
import type { ApiClient } from "../release/api-client.ts";

/** A Pipeline as stored by the API server, with its defaults. */
export interface PipelineObject extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly uid: string; readonly namespace: string };
  readonly spec: PipelineSpec;
  readonly status?: StatusOf<typeof Pipeline>;
}

/** No Pipeline or stage has this name. The message lists the existing names. */
export class UnknownStageError extends Error {
  override readonly name = "UnknownStageError";
}

/**
 * Finds the Pipeline of a name, or of `namespace/name`.
 *
 * @throws UnknownStageError, or the error of the API server.
 */
export async function findPipeline(
  text: string,
  { client, namespace: preset }: { readonly client: ApiClient; readonly namespace: string },
): Promise<PipelineObject> {
  const slash = text.indexOf("/");
  const [namespace, name] = slash === -1 ? [preset, text] : [text.slice(0, slash), text.slice(slash + 1)];
  if (name === "" || namespace === "")
    throw new UnknownStageError(`Cannot find Pipeline "${text}": expected a name, or namespace/name`);
  const found = await client.read(Pipeline, { namespace, name });
  if (found !== undefined) return found as PipelineObject;
  const there = await client.list(Pipeline, { namespace });
  const names = there.map(({ metadata }) => metadata.name).toSorted();
  const known = names.length === 0 ? "there is none" : `there are ${names.join(", ")}`;
  throw new UnknownStageError(`Cannot find Pipeline "${name}": in namespace "${namespace}" ${known}`);
}

/** Lists the Pipelines of one namespace or of all, sorted by namespace and name. */
export async function listPipelines(
  client: ApiClient,
  where: { readonly namespace: string | undefined },
): Promise<readonly PipelineObject[]> {
  const found = (await client.list(Pipeline, where)) as readonly PipelineObject[];
  return found.toSorted((a, b) => (labelOfPipeline(a) < labelOfPipeline(b) ? -1 : 1));
}

/** `shop/web`. */
export function labelOfPipeline({ metadata }: PipelineObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** @throws UnknownStageError if the Pipeline has no stage of this name. */
export function stageIn(pipeline: PipelineObject, name: string): PipelineSpec["stages"][number] {
  const stage = pipeline.spec.stages.find((one) => one.name === name);
  if (stage !== undefined) return stage;
  const names = pipeline.spec.stages.map((one) => one.name).join(", ");
  throw new UnknownStageError(
    `Cannot find stage "${name}" of Pipeline ${labelOfPipeline(pipeline)}: there are ${names}`,
  );
}

/** The name of a stage and its earlier names, whose proofs count for it. Pure. */
export function namesOf({ name, formerly = [] }: PipelineSpec["stages"][number]): ReadonlySet<string> {
  return new Set([name, ...formerly]);
}
