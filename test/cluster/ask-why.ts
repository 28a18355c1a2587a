import { kinds } from "../../charts/bindings.ts";
import { runWhy } from "../../cli/commands/why.ts";
import { testCluster } from "./fixture.ts";

export interface Said {
  readonly code: number;
  readonly text: string;
}

/** Runs `fairlead why` as `admin`, or as another user. */
export async function why(
  what: string,
  namespace: string,
  kubeconfig = testCluster().kubeconfigPath,
  more: object = {},
): Promise<Said> {
  const lines: string[] = [];
  const flags = { kubeconfig, namespace, kinds, ...more };
  const code = await runWhy(what, flags, { print: (line) => void lines.push(line) });
  return { code, text: lines.join("\n") };
}
