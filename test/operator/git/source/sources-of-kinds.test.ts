import { expect, test } from "vitest";
import type { BoundKind } from "../../../../crds/binding.ts";
import { createKindSources } from "../../../../operator/desire/source/kind-sources.ts";
import { keyIn } from "../../../../operator/git/source/tenant.ts";
import { buildInfo } from "../../../examples/build-info.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { childOf, ReconcileBench } from "../../../fakes/reconcile-bench.ts";
import { aPlatform } from "../../../fakes/releases.ts";
import { aResource } from "../../../fakes/resources.ts";
import { SourcesHarness } from "./sources-harness.ts";

const COUNT = 1_000;
const names = Array.from({ length: COUNT }, (_, index) => `app-${index}`);

test("a push that concerns one of 1,000 resources of one repository causes no work for the others", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers(Object.fromEntries(names.map((name) => [`${name}/x`, "1"])));
  await using it = new SourcesHarness(remote);
  const sources = createKindSources({
    kind: buildInfo,
    sources: it.sources,
    secrets: { read: async () => new Map(), forget: () => undefined },
    platform: aPlatform(() => ({ state: "known", limits: [] })),
    clock: it.clock,
    onAuthors: () => expect.unreachable("the kind asks for none"),
  });
  const charts = { count: 0 };
  const Chart = buildInfo.chart;
  class CountedChart extends Chart {
    constructor(...args: ConstructorParameters<typeof Chart>) {
      super(...args);
      charts.count++;
    }
  }
  const kind = { ...buildInfo, chart: CountedChart } as BoundKind<never> as typeof buildInfo;
  const specOf = (path: string) => ({ url: `file://${remote.path}`, branch: "main", path, suspend: false });
  const resources = names.map((name) => aResource(kind, { name, spec: specOf(name) }));
  const bench = new ReconcileBench({ kind, sources, resource: { name: "app-0", spec: specOf("app-0") } });
  const reconcileAll = async (keys: Iterable<string>): Promise<void> => {
    for (const key of keys) await bench.reconcile(key);
  };

  // Given 1,000 resources, each following a folder
  for (const resource of resources) bench.edit(resource);
  await reconcileAll(names.map((name) => `shop/${name}`));
  await it.until(() => new Set(it.told).size === COUNT);
  await reconcileAll(it.told.splice(0).map(keyIn));
  const { polls, fetches } = it.sources.stats;
  expect(charts.count).toBe(COUNT);
  bench.takeRequests();

  // When a push changes the folder of one of them
  const pushed = remote.commitByOthers({ "app-7/x": "2" });
  it.sources.refresh({ url: `file://${remote.path}` });
  await it.until(() => it.told.length > 0);

  // Then only this one is notified, and sends requests
  const told = it.told.splice(0);
  expect(told).toEqual(["shop/app-7@buildinfos.example.dev"]);
  await reconcileAll(told.map(keyIn));
  expect(bench.takeRequests()).toEqual([
    "status BuildInfo/app-7",
    "apply ConfigMap/app-7",
    "status BuildInfo/app-7",
  ]);
  expect(childOf(bench, "app-7")["data"]).toEqual({ revision: pushed });
  expect(charts.count).toBe(COUNT + 1);
  // And the remote was polled once for all
  expect(it.sources.stats.fetches - fetches).toBe(1);
  expect(it.sources.stats.polls - polls).toBeLessThanOrEqual(2);

  // Nor does a reconcile for another reason cause requests or a synthesis for the others
  await reconcileAll(names.map((name) => `shop/${name}`));
  expect([bench.takeRequests(), charts.count]).toEqual([[], COUNT + 1]);
});
