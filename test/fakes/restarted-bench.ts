import type { LiveObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { ReleaseBench } from "./release-bench.ts";

/** Another process, which starts with the state that this one wrote. */
export function restart(
  former: ReleaseBench,
  change: (status: object) => object = (status) => status,
): ReleaseBench {
  const bench = new ReleaseBench();
  for (const object of former.cluster.objects.values()) {
    const { status = {}, ...rest } = object as LiveObject & { readonly status?: object };
    const next = object.kind === Release.kind ? { ...rest, status: change(status) } : object;
    bench.deliver(bench.cluster.put(next as LiveObject));
    if (object.kind === Release.kind) bench.dependents.learn(object);
  }
  return bench;
}
