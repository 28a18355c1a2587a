import { expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import { attempt } from "../../../fakes/attempt-kind.ts";
import { ReconcileBench } from "../../../fakes/reconcile-bench.ts";
import { aResource } from "../../../fakes/resources.ts";

const outcomeOf = ({ status }: LiveObject): string =>
  (status as { readonly outcome?: string } | undefined)?.outcome ?? "none";

test("an observer of statuses receives each change once, also that of a record, which is written first", async () => {
  const seen: string[] = [];
  const resource = { spec: aResource(attempt, { spec: { image: "busybox" } }).spec };
  const onStatus = (before: LiveObject, now: LiveObject) =>
    void seen.push(`${outcomeOf(before)} → ${outcomeOf(now)}`);
  const bench = new ReconcileBench({ kind: attempt, resource, onStatus });
  await bench.reconcile();
  expect(seen).toEqual(["none → none"]);
  const pod = bench.live("Pod", "web") ?? expect.fail("no pod");
  bench.deliver(bench.cluster.put({ ...pod, status: { phase: "Succeeded" } }));
  await bench.reconcile();
  await bench.reconcile();
  expect(seen).toEqual(["none → none", "none → Succeeded", "Succeeded → Succeeded"]);
});

test("an observer of statuses does not receive a refused write", async () => {
  const seen: string[] = [];
  const resource = { spec: { image: "busybox" } };
  const bench = new ReconcileBench({ kind: attempt, resource, onStatus: () => void seen.push("status") });
  bench.cluster.patchStatus = async () => undefined;
  await bench.reconcile();
  expect(seen).toEqual([]);
});
