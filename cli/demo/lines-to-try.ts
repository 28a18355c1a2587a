export interface PlaceToTry {
  /** Undefined: the one that kubectl takes by itself. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** `kubectl`, or where it is. */
  readonly kubectl: string;
  /** Folder of the bare repository. */
  readonly repository: string;
}

/** What somebody may do to see the operator at work: commands to copy, each on its own. Pure. */
export function linesToTry({
  kubeconfig,
  context,
  kubectl: program,
  repository,
}: PlaceToTry): readonly string[] {
  const flags = context === undefined ? "" : ` --context=${quoteForShell(context)}`;
  const kubectl = `${quoteForShell(program)}${flags} -n default`;
  return [
    "Try in another terminal (Ctrl-C here ends everything):",
    ...(kubeconfig === undefined ? [] : [`export KUBECONFIG=${quoteForShell(kubeconfig)}`]),
    `${kubectl} patch echo hello-world --type=merge -p '{"spec":{"message":"Ahoy"}}'`,
    `${kubectl} delete deployment podset-sample`,
    `git -C ${quoteForShell(repository)} log --stat`,
  ];
}

function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
