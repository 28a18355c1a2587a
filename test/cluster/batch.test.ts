import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject, ObjectMeta } from "../../crds/object.ts";
import { batch } from "../fakes/batch-kind.ts";
import { fence } from "./fenced.ts";
import { applyObjects, eventually, kubectlJson, readObject, testCluster } from "./fixture.ts";
import { aHarness, conditionOf, type SeenResource } from "./harness.ts";
import { install } from "./install.ts";
import { kubectlFor } from "./kubectl.ts";
import { lineOf } from "./operator-user.ts";

const program = join(import.meta.dirname, "batch-program.ts");
const rights = "batches";
const resource = "batches.example.dev";

beforeAll(() => install(testCluster(), { kinds: [batch], name: rights }));

async function aFixture() {
  const { namespace, ...harness } = await aHarness({ program, rights, publishes: false });
  const start = (environment: NodeJS.ProcessEnv = {}) => harness.start([], { environment });
  const find = () => readObject<SeenResource>(resource, "web", namespace);
  return { ...harness, namespace, start, find, ...aBatchIn(namespace), until: untilIn(find) };
}

function aBatchIn(namespace: string) {
  const apply = (spec: object, metadata: Partial<ObjectMeta> = {}): Promise<unknown> =>
    applyObjects({
      apiVersion: "example.dev/v1",
      kind: "Batch",
      metadata: { name: "web", namespace, ...metadata },
      spec: { image: "busybox", ...spec },
    });
  const jobs = async (): Promise<string[]> => {
    const { items } = await kubectlJson<{ items: KubernetesObject[] }>(["get", "jobs", "-n", namespace]);
    return items.map(({ metadata }) => metadata.name).toSorted();
  };
  return { apply, jobs };
}

function untilIn(find: () => Promise<SeenResource | undefined>) {
  return {
    finished: (runs: number): Promise<SeenResource> =>
      eventually(
        async () => {
          const found = await find();
          return found?.status?.["finished"] === runs && found;
        },
        { what: `${runs} runs are recorded` },
      ),
    gone: () =>
      eventually(async () => (await find()) === undefined, {
        what: "the Batch is deleted",
      }),
  };
}

describe("a kind with a record", () => {
  test("counts each run once although the operator ends between the record and the next Job", async () => {
    const { writes, start, apply, jobs, until } = await aFixture();

    // Given an operator that ends when its chart receives the record of the first run
    const dying = await start({ BATCH_DIES_AT: "1" });
    await apply({ runs: 3 });
    const recorded = await until.finished(1);
    await dying.stop("SIGKILL");
    expect(await jobs()).toEqual(["web-0"]);

    // When another one starts
    await start();
    const finished = await until.finished(3);

    // Then no run was counted or created twice
    await eventually(async () => expect(await jobs()).toEqual([]), { what: "the last Job is deleted" });
    const all = await writes();
    expect(all.filter((line) => line.startsWith("patch jobs"))).toEqual([
      "patch jobs web-0 201",
      "patch jobs web-1 201",
      "patch jobs web-2 201",
    ]);
    // and each was recorded before the next one was created
    const written = all.indexOf("patch batches/status web 200");
    expect(written).toBeGreaterThanOrEqual(0);
    expect(written).toBeLessThan(all.indexOf("patch jobs web-0 201"));
    expect(Date.parse(String(finished.status?.["finishedAt"]))).toBeGreaterThanOrEqual(
      Date.parse(String(recorded.status?.["finishedAt"])),
    );
  });

  test("sends no more requests when all runs have finished", async () => {
    const { writes, start, apply, until } = await aFixture();
    const operator = await start();
    await apply({ runs: 1, ttlSeconds: 3_600 });
    await until.finished(1);
    await eventually(async () => (await writes()).includes("delete jobs web-0 200"), {
      what: "the Job is deleted",
    });
    // One more run, after a restart: everything is known.
    await operator.stop();
    const before = await writes();
    const next = await start();
    await next.untilLogged("Watching");
    await next.stop();
    expect((await writes()).slice(before.length)).toEqual([]);
  });
});

describe("a kind that retires its resources", () => {
  test("deletes a resource when it expires, and not before", async () => {
    const { user, start, apply, until } = await aFixture();
    await start();
    await apply({ runs: 1, ttlSeconds: 3_600 });
    const { status } = await until.finished(1);
    // Soon, and not yet.
    const finishedMs = Date.parse(String(status?.["finishedAt"]));
    const ttlSeconds = Math.ceil((Date.now() - finishedMs) / 1_000) + 3;
    await apply({ runs: 1, ttlSeconds });
    await until.gone();
    const requests = await user.requests();
    const deletion = requests.find((event) => lineOf(event) === "delete batches web 200");
    const instantMs = finishedMs + ttlSeconds * 1_000;
    expect(Date.parse(deletion?.requestReceivedTimestamp ?? "")).toBeGreaterThanOrEqual(instantMs);
  });

  test("deletes at its start the resources that expired while the operator was down", async () => {
    const { start, apply, find, until } = await aFixture();
    const operator = await start();
    await apply({ runs: 1, ttlSeconds: 3_600 });
    const { status } = await until.finished(1);
    await operator.stop();
    // A restart alone does not change the time of its end.
    const restarted = await start();
    await restarted.untilLogged("Watching");
    await restarted.stop();
    expect((await find())?.status?.["finishedAt"]).toBe(status?.["finishedAt"]);
    await apply({ runs: 1, ttlSeconds: 0 });
    await start();
    await until.gone();
  });

  test("keeps a resource that another tool declares, and reports it", async () => {
    const { start, apply, find, until } = await aFixture();
    await start();
    await apply({ runs: 1, ttlSeconds: 0 }, { labels: { "argocd.argoproj.io/instance": "shop" } });
    await until.finished(1);
    await eventually(
      async () => {
        const found = await find();
        return found !== undefined && conditionOf(found, "Expired")?.status === "True";
      },
      { what: "it is Expired" },
    );
  });

  test("may delete its own resources according to the fence, but none that has an owner", async () => {
    const { namespace, start } = await aHarness({ program, publishes: false });
    const policies = { ownership: true, leadership: false };
    const fenced = await fence(namespace, { kinds: [batch], rights, policies });
    const pod = await fenced.aPod("operator-1");
    const { apply } = aBatchIn(namespace);
    const find = () => readObject<SeenResource>(resource, "web", namespace);
    // An existing one: garbage collection deletes objects whose owner does not exist.
    const configMap = { apiVersion: "v1", kind: "ConfigMap" };
    await applyObjects({ ...configMap, metadata: { name: "owner", namespace } });
    const { uid = "" } = (await readObject("configmap", "owner", namespace))?.metadata ?? {};
    const owner = { ...configMap, name: "owner", uid };
    await apply({ runs: 1, ttlSeconds: 0 }, { ownerReferences: [owner] });
    const kubectl = kubectlFor({ ...testCluster(), kubeconfigPath: pod.kubeconfigPath });
    await expect(kubectl(["delete", "batch", "web", "-n", namespace])).rejects.toThrow("leaves alone");

    await apply({ runs: 1, ttlSeconds: 0 }, { ownerReferences: [] });
    await start(fenced.args, pod);
    await untilIn(find).gone();
  });
});
