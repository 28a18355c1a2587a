import { expect, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { pruneWave } from "../../../operator/engine/prune-surplus.ts";
import { ApiUnavailableError } from "../../../operator/errors.ts";
import { idOf } from "../../../synth/manifest.ts";
import { aGadgetKind } from "../../fakes/gadget.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { ReconcileBench } from "../../fakes/reconcile-bench.ts";

test("a wave with a failure reports and counts the objects that it deleted", async () => {
  // Given three objects, of which one cannot be deleted
  const bench = new ReconcileBench({ kind: aGadgetKind({ children: [ConfigMap] }) });
  const objects = ["a", "b", "c"].map((name) => {
    const live = bench.cluster.put(aLiveObject({ kind: ConfigMap, name }));
    bench.deliver(live);
    return { id: idOf(live), kind: ConfigMap, live };
  });
  bench.cluster.refuse("delete ConfigMap/b", new ApiUnavailableError("no answer", { status: 0 }));

  // When they are pruned
  const reported: string[] = [];
  const pruning = pruneWave(objects, {
    cluster: bench.cluster,
    storeOf: (kind) => bench.stores.children(kind),
    lost: bench.lost,
    count: (did, count) => void reported.push(`${count} ${did}`),
    onPruned: ({ live }) => void reported.push(live.metadata.name),
  });

  // Then the failure is thrown after the others are reported
  await expect(pruning).rejects.toThrow("no answer");
  expect(reported).toEqual(["2 pruned", "a", "c"]);
});
