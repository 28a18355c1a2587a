import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { expect, test } from "vitest";
import type { ResourceOf } from "../../../../crds/kind.ts";
import type { CommitSpan, ReadySource } from "../../../../crds/kind-source.ts";
import { ReleasePolicy } from "../../../../crds/release-policy.ts";
import { createKindController } from "../../../../operator/desire/kind-controller.ts";
import { PolicyLimits } from "../../../../operator/desire/release/policy-limits.ts";
import { releaseKind, releasePolicyKind } from "../../../../operator/desire/release/release-kind.ts";
import { composeKindSources } from "../../../../operator/desire/source/compose-kind-sources.ts";
import { builtInShapeOf } from "../../../../operator/engine/kind-shapes.ts";
import type { SourceState } from "../../../../operator/git/source/ports.ts";
import type { FoundAuthors } from "../../../../operator/git/source/span-authors.ts";
import type { ZoneSources } from "../../../../operator/git/source/zone-sources.ts";
import { TrustedTime } from "../../../../operator/runtime/trusted-time.ts";
import { createSynthesizer } from "../../../../synth/synthesizer.ts";
import { BuildInfo, buildInfo } from "../../../examples/build-info.ts";
import { FakeCluster } from "../../../fakes/fake-cluster.ts";
import { aRevision } from "../../../fakes/releases.ts";
import { refused } from "../../../fakes/watch-errors.ts";
import { WatchedKinds } from "../../../fakes/watched-kinds.ts";

/** Without a record: only its objects are written. */
const buildInfos = { ...buildInfo, record: undefined };

/** The controller of BuildInfos between watches, an API server and a source zone in memory. */
async function aController(kind: typeof buildInfo = buildInfos) {
  const watched = new WatchedKinds({ kinds: [kind, releaseKind, releasePolicyKind] });
  const { stores, clock, log } = watched;
  const cluster = new FakeCluster();
  const zone = {
    state: { state: "pending" } as SourceState,
    asked: [] as string[],
    forgotten: [] as string[],
    tell: (_: readonly string[]): void => undefined,
  };
  const sources = {
    resolve: ({ key }: { readonly key: string }) => {
      zone.asked.push(key);
      return zone.state;
    },
    forget: (key: string) => void zone.forgotten.push(key),
    subscribe: (onChange: typeof zone.tell, groupKind: string) => {
      expect(groupKind).toBe("buildinfos.example.dev");
      zone.tell = onChange;
    },
  } as unknown as ZoneSources;
  const platform = new PolicyLimits({ stores, installation: undefined, allowsLocal: false });
  const follow = composeKindSources({ sources, platform, stores, cluster, clock });
  const controller = createKindController({
    kind,
    ...{ stores, cluster, clock, log },
    shapeOf: builtInShapeOf,
    publisher: undefined,
    place: "here",
    events: { record: () => undefined },
    synthesize: createSynthesizer(),
    onGone: () => undefined,
    metrics: undefined,
    isLeading: () => true,
    workers: 2,
    time: new TrustedTime(clock),
    random: () => 0.5,
    follow: follow(kind),
  });
  const { signal } = new AbortController();
  const running = controller.run({ gate: Promise.resolve({ sinceMs: 0 }), signal });
  const requests = async (): Promise<readonly string[]> => {
    await clock.settle();
    return cluster.requests.splice(0).filter((request) => !request.startsWith("status"));
  };
  // The server has the resource that its watch shows.
  const put = (path = "web"): void => {
    const fields = { spec: { url: "https://git.example.dev/shop", branch: "main", path, suspend: false } };
    cluster.put(watched.source("resource", BuildInfo).put({ name: "web", fields }));
  };
  return {
    ...{ watched, zone, requests, put },
    object: () => [...cluster.objects.values()].find(({ kind }) => kind === "ConfigMap"),
    resources: watched.source("resource", BuildInfo),
    policies: watched.source("resource", ReleasePolicy),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      controller.queue.shutDown();
      await running;
      await watched[Symbol.asyncDispose]();
    },
  };
}

const key = "shop/web@buildinfos.example.dev";
const ready = { state: "ready", revision: aRevision("1"), handledRequest: undefined } as const;
const aPolicy = (sources: readonly string[]) => ({
  name: "tenants",
  namespace: null,
  fields: { spec: { rules: [{ namespaces: { names: ["shop"] }, sources }] } },
});

test("a resource is reconciled when the zone reports its source, and dropped when it is deleted", async () => {
  await using run = await aController();
  await run.watched.start();
  run.watched.source("resource", BuildInfo).skipVersions(10_000);
  run.put();
  expect(await run.requests()).toEqual([]);
  expect(run.zone.asked).toEqual([key]);

  run.zone.state = ready;
  run.zone.tell([key]);
  expect(await run.requests()).toEqual(["apply ConfigMap/web"]);

  run.resources.remove("shop/web");
  await run.requests();
  expect(run.zone.forgotten).toContain(key);
});

test("a resource is reconciled when the rules for its namespace change", async () => {
  await using run = await aController();
  await run.watched.start();
  run.watched.source("resource", BuildInfo).skipVersions(10_000);
  run.zone.state = ready;
  run.policies.put(aPolicy([]));
  run.put();
  expect(await run.requests()).toEqual([]);
  expect(run.zone.asked).toEqual([]);
  run.policies.put(aPolicy(["https://git.example.dev/"]));
  expect(await run.requests()).toEqual(["apply ConfigMap/web"]);
});

test("nothing is fetched before all policies have been read", async () => {
  await using run = await aController();
  run.policies.intercept = () => refused();
  await run.watched.start();
  run.put();
  await run.requests();
  expect(run.zone.asked).toEqual([]);
});

/** Keeps the addresses of the authors of a span in a ConfigMap. */
class AuthorsChart extends Chart {
  constructor(scope: Construct, id: string, { resource, source }: Record<string, unknown>) {
    super(scope, id);
    const { metadata } = resource as ResourceOf<typeof BuildInfo>;
    const [found] = (source as ReadySource).spans ?? [];
    const data = { authors: found?.state === "known" ? found.authors.map(({ email }) => email).join() : "?" };
    new ApiObject(this, "info", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: metadata.name },
      data,
    });
  }
}

test("a kind that requests authors of commits receives them when they are known", async () => {
  const [since, until] = ["1".repeat(40), "2".repeat(40)];
  const source = {
    required: true,
    of: buildInfo.source?.of ?? (() => undefined),
    spans: () => [{ since, until }],
  };
  await using run = await aController({ ...buildInfos, chart: AuthorsChart, source });
  const asked: CommitSpan[] = [];
  const answer = Promise.withResolvers<FoundAuthors>();
  const authorsOf = (span: CommitSpan): Promise<FoundAuthors> => {
    asked.push(span);
    return answer.promise;
  };
  run.zone.state = { ...ready, revision: { ...ready.revision, authorsOf } };
  await run.watched.start();
  run.watched.source("resource", BuildInfo).skipVersions(10_000);
  run.put();
  expect(await run.requests()).toEqual(["apply ConfigMap/web"]);
  expect(run.object()).toMatchObject({ data: { authors: "?" } });
  answer.resolve({ authors: [{ email: "ada@example.dev", commit: until }] });
  expect(await run.requests()).toEqual(["apply ConfigMap/web"]);
  expect(run.object()).toMatchObject({ data: { authors: "ada@example.dev" } });
  // Another edit asks for nothing again.
  run.put("api");
  await run.requests();
  expect(asked).toEqual([{ since, until }]);
});

test("an invalid request of a kind for authors is reported, and nothing is applied", async () => {
  const spans = (): never => {
    throw new RangeError("no commit");
  };
  const source = { required: true, of: buildInfo.source?.of ?? (() => undefined), spans };
  await using run = await aController({ ...buildInfos, source });
  run.zone.state = ready;
  await run.watched.start();
  run.watched.source("resource", BuildInfo).skipVersions(10_000);
  run.put();
  expect(await run.requests()).toEqual([]);
});
