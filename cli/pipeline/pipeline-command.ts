import { shortId } from "../../crds/short-id.ts";
import { quoteForShell } from "../shell-text.ts";
import { labelOfPipeline, type PipelineObject } from "./pipeline-object.ts";

/**
 * Composes a command on a stage for users to paste. It contains the namespace, the digest and the cluster options of the
 * current command. Pure.
 *
 * @param verb `approve` or `reject`.
 */
export function stageCommandLine(
  verb: string,
  {
    pipeline,
    stage,
    digest,
  }: { readonly pipeline: PipelineObject; readonly stage: string; readonly digest: string },
  { kubeconfig, context, env }: CommandLineOptions,
): string {
  const program = env["npm_command"] === "exec" ? ["npx", "fairlead"] : ["fairlead"];
  const cluster = [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ];
  const words = [
    ...program,
    verb,
    labelOfPipeline(pipeline),
    stage,
    `--digest=${shortId(digest)}`,
    ...cluster,
  ];
  return words.map(quoteForShell).join(" ");
}

export interface CommandLineOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly env: NodeJS.ProcessEnv;
}
