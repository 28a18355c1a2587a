import { ImpersonationError } from "../../operator/cluster/impersonation.ts";
import type { Cluster, Impersonation } from "../../operator/ports.ts";
import type { FakeCluster } from "./fake-cluster.ts";

/** Records the sender of each request: `deployer apply ConfigMap/a`; requests of the operator itself have no name. */
export function noteSenders(cluster: FakeCluster): readonly string[] {
  const sent: string[] = [];
  const as = (who: Impersonation | undefined): Cluster => {
    if (who?.serviceAccountName === "not a name") throw new ImpersonationError("it is no name");
    return new Proxy(cluster, {
      get: (target, name: keyof Cluster) => {
        if (name === "as" || name === "until") return () => as(who);
        return (...args: never[]) => {
          const before = target.requests.length;
          const answer = (target[name] as (...all: never[]) => unknown).apply(target, args);
          sent.push(...target.requests.slice(before).map((line) => `${who?.serviceAccountName} ${line}`));
          return answer;
        };
      },
    });
  };
  Object.assign(cluster, { as });
  return sent;
}
