import { quoteForShell } from "../shell-text.ts";
import type { ReleaseFlags } from "./release-command.ts";
import type { ReleaseObject } from "./release-object.ts";

/**
 * A command on a Release that can be pasted: it names the namespace, and the cluster as it was named for the command that
 * suggests it. Pure.
 *
 * @param words The command, such as `["rollback", "--unpin"]`; the Release's name comes after the first of them.
 * @param options.env Where npx has started the command, npx starts the next one.
 */
export function commandLine(
  [command = "", ...words]: readonly string[],
  { metadata }: Pick<ReleaseObject, "metadata">,
  { kubeconfig, context, env }: CommandLineOptions,
): string {
  const program = env["npm_command"] === "exec" ? ["npx", "fairlead"] : ["fairlead"];
  const cluster = [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ];
  const all = [...program, command, metadata.name, ...words, `--namespace=${metadata.namespace}`, ...cluster];
  return all.map(quoteForShell).join(" ");
}

export interface CommandLineOptions extends Pick<ReleaseFlags, "kubeconfig" | "context"> {
  readonly env: NodeJS.ProcessEnv;
}
