import { fairleadLine, quoteForShell } from "../shell-text.ts";
import type { ReleaseFlags } from "./release-command.ts";
import type { ReleaseObject } from "./release-object.ts";

/**
 * A command on a Release that users can paste: it contains the namespace, and the cluster options of the command that
 * suggests it. Pure.
 *
 * @param words The command, such as `["rollback", "--unpin"]`; the Release's name follows the first of them.
 * @param options.env If npx has started the command, the suggested one uses npx too.
 */
export function commandLine(
  [command = "", ...words]: readonly string[],
  {
    metadata,
  }: { readonly metadata: Pick<ReleaseObject["metadata"], "name"> & { readonly namespace?: string } },
  options: CommandLineOptions,
): string {
  const place = metadata.namespace === undefined ? [] : [`--namespace=${metadata.namespace}`];
  return toLine([command, metadata.name, ...words, ...place], options);
}

/** A command on the operator, such as `["logs"]`, that users can paste. Pure. */
export function operatorCommandLine(words: readonly string[], options: CommandLineOptions): string {
  return toLine(words, options);
}

/** A kubectl command that users can paste: it contains the cluster options of the command that suggests it. Pure. */
export function kubectlLine(words: readonly string[], options: Omit<CommandLineOptions, "env">): string {
  return ["kubectl", ...words, ...clusterFlags(options)].map(quoteForShell).join(" ");
}

function toLine(words: readonly string[], { env, ...cluster }: CommandLineOptions): string {
  return fairleadLine([...words, ...clusterFlags(cluster)], env);
}

function clusterFlags({ kubeconfig, context }: Omit<CommandLineOptions, "env">): readonly string[] {
  return [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ];
}

export interface CommandLineOptions extends Pick<ReleaseFlags, "kubeconfig" | "context"> {
  readonly env: NodeJS.ProcessEnv;
}
