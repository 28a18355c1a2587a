import { quoteForShell } from "../shell-text.ts";

export interface PlaceToTry {
  /** Undefined: kubectl's default. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** `kubectl`, or its path. */
  readonly kubectl: string;
  /** Folder of the bare repository that the operator writes to. */
  readonly repository: string;
  /** Folder with a clone of the Releases' repository. */
  readonly workTree: string;
  /** Whether the API server validates approvers, so that approvals count. */
  readonly approves: boolean;
}

/** Commands for users to copy, which demonstrate the operator. Pure. */
export function linesToTry({
  kubeconfig,
  context,
  kubectl: program,
  repository,
  workTree,
  approves,
}: PlaceToTry): readonly string[] {
  const flags = context === undefined ? "" : ` --context=${quoteForShell(context)}`;
  const kubectl = `${quoteForShell(program)}${flags} -n default`;
  return [
    "Try in another terminal (Ctrl-C here stops everything):",
    ...(kubeconfig === undefined ? [] : [`export KUBECONFIG=${quoteForShell(kubeconfig)}`]),
    ...(approves
      ? [`npx fairlead approve default/shop prod-eu${flags}`, `npx fairlead pipeline default/shop${flags}`]
      : []),
    `cd ${quoteForShell(workTree)}`,
    "sed -i.bak s/Welcome/Ahoy/ web/main.ts custom/echo.yaml && git commit -qam 'Say Ahoy' && git push -q",
    `${kubectl} get configmap/shop job/shop-greeting -o yaml | grep Ahoy`,
    "git revert --no-edit HEAD && git push -q",
    `${kubectl} scale deployment shop --replicas=5`,
    `${kubectl} delete service shop`,
    `${kubectl} patch echo hello-world --type=merge -p '{"spec":{"message":"Ahoy"}}'`,
    `git -C ${quoteForShell(repository)} log --stat`,
  ];
}
