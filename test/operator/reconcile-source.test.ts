import { describe, expect, test } from "vitest";
import type { Verdict } from "../../crds/kind-context.ts";
import type { KindSource, ReadySource, SourceProblem } from "../../crds/kind-source.ts";
import type { EngineStatus } from "../../crds/status.ts";
import type { Sourced } from "../../operator/desire/chart/follow-source.ts";
import { sourceGraceMs } from "../../operator/engine/source-loss.ts";
import { ReplacedError } from "../../operator/errors.ts";
import { buildInfo } from "../examples/build-info.ts";
import { childOf, ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aResource } from "../fakes/resources.ts";

const spec = { url: "https://git.example.dev/shop", branch: "main", path: "web", suspend: false };

function ready(digit: string, more: Partial<ReadySource> = {}): ReadySource {
  const id = digit.repeat(40);
  const commit = { id, author: "Ann", subject: "Raise it", committedAt: "2026-01-01T00:00:00Z" };
  return { state: "ready", head: commit, changed: commit, isAssumed: false, tree: `tree-${digit}`, ...more };
}

const unreachable: SourceProblem = { reason: "SourceUnreachable", message: "no answer" };
const missing: SourceProblem = { reason: "SourceNotFound", message: "no branch main" };
const failed = (problem: SourceProblem): KindSource => ({ ...problem, state: "failed" });

interface SceneOptions {
  readonly required?: boolean;
  readonly verdict?: Verdict;
  /** Default: true. */
  readonly record?: boolean;
}

/** A BuildInfo whose source stands as the test says. */
function aScene(
  first: KindSource | undefined,
  { required = true, verdict, record = true }: SceneOptions = {},
) {
  const forgotten: string[] = [];
  const scene = { sourced: { state: first } as Sourced };
  const sources = {
    read: async () => scene.sourced,
    forget: (key: string) => void forgotten.push(key),
    authorsOf: () => expect.unreachable("the kind asks for none"),
  };
  const kind = {
    ...buildInfo,
    source: { required, of: () => spec },
    ...(verdict && { verdict: () => verdict }),
    ...(!record && { record: undefined }),
  };
  const bench = new ReconcileBench({ kind, resource: { spec }, sources });
  const run = async (state?: KindSource): Promise<readonly string[]> => {
    if (state !== undefined) scene.sourced = { state };
    await bench.reconcile();
    return bench.takeRequests();
  };
  const edit = (generation: number): void => bench.edit(aResource(kind, { spec, generation }));
  const conditions = () => ["Ready", "Sourced", "Applied"].map((type) => bench.condition(type));
  return { bench, sources, forgotten, scene, run, edit, conditions };
}

describe("a reconcile of a kind that requires a source", () => {
  test("passes its head to the record, and the record to the chart", async () => {
    const { bench, run, conditions } = aScene(ready("1"));
    expect(await run()).toEqual(["status BuildInfo/web", "apply ConfigMap/web", "status BuildInfo/web"]);
    expect(childOf(bench, "web")["data"]).toEqual({ revision: "1".repeat(40) });
    expect(conditions()).toEqual(["True Reconciled", "True Sourced", "True Applied"]);
    expect(bench.resource.status).toMatchObject({ revision: "1".repeat(40), tree: "tree-1" });
  });

  test("follows a push", async () => {
    const { bench, run } = aScene(ready("1"));
    await run();
    expect(await run(ready("2"))).toEqual([
      "status BuildInfo/web",
      "apply ConfigMap/web",
      "status BuildInfo/web",
    ]);
    expect(childOf(bench, "web")["data"]).toEqual({ revision: "2".repeat(40) });
  });

  test("sends nothing while the source is the same", async () => {
    const { run } = aScene(ready("1"));
    await run();
    expect(await run(ready("1"))).toEqual([]);
  });

  test("creates nothing before the source is known, and reports it", async () => {
    const { run, conditions } = aScene({ state: "pending" });
    expect(await run()).toEqual(["status BuildInfo/web"]);
    expect(conditions()).toEqual(["Unknown SourcePending", "Unknown SourcePending", "Unknown SourcePending"]);
    expect(await run()).toEqual([]);
  });

  test("writes and deletes nothing while the source is pending after a restart", async () => {
    const { bench, run, conditions } = aScene(ready("1"));
    await run();
    expect(await run({ state: "pending" })).toEqual([]);
    await bench.clock.advance(30_000);
    // A long wait is in a condition; what is known of the objects stays.
    expect(await run()).toEqual(["status BuildInfo/web"]);
    expect(conditions()).toEqual(["True Reconciled", "True Sourced", "True Applied"]);
    expect(bench.condition("Reconciling")).toBe("True SourcePending");
    expect(await run(ready("1"))).toEqual(["status BuildInfo/web"]);
    expect(bench.condition("Reconciling")).toBeUndefined();
  });

  test("is not ready when the source is unavailable, and keeps its objects", async () => {
    const { bench, run, conditions } = aScene(ready("1"));
    await run();
    expect(await run(failed(missing))).toEqual(["status BuildInfo/web"]);
    expect(conditions()).toEqual(["False SourceNotFound", "False SourceNotFound", "True Applied"]);
    expect(bench.condition("Stalled")).toBe("True SourceNotFound");
    expect(childOf(bench, "web")["data"]).toEqual({ revision: "1".repeat(40) });
    expect(await run()).toEqual([]);
  });

  test("stays ready for a while if only the remote does not respond", async () => {
    const { bench, scene, run, conditions } = aScene(ready("1"));
    await run();
    scene.sourced = { state: failed(unreachable) };
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: sourceGraceMs });
    expect(conditions()).toEqual(["True Reconciled", "False SourceUnreachable", "True Applied"]);
    await bench.clock.advance(sourceGraceMs);
    await run();
    expect(conditions()).toEqual(["False SourceUnreachable", "False SourceUnreachable", "True Applied"]);
    expect(bench.condition("Reconciling")).toBe("True SourceUnreachable");
  });

  test("is not ready after an edit while the remote does not respond", async () => {
    const { bench, run, edit, conditions } = aScene(ready("1"));
    await run();
    edit(2);
    await run(failed(unreachable));
    expect(conditions()).toEqual(["False SourceUnreachable", "False SourceUnreachable", "True Applied"]);
    // That its objects were applied is said of the spec before.
    const { conditions: all = [] } = bench.resource.status as EngineStatus;
    expect(all.map(({ type, observedGeneration }) => `${type} ${observedGeneration}`)).toEqual([
      ...["Ready 2", "Sourced 2", "Applied 1", "Healthy 1", "Reconciling 2"],
    ]);
  });

  test("does not run the chart with the source of another spec", async () => {
    const { bench, edit, run, sources } = aScene(ready("1"), { record: false });
    const read = sources.read;
    sources.read = async () => {
      // While a Secret is read, an edit arrives.
      edit(2);
      return await read();
    };
    await expect(run()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual([]);
    sources.read = read;
    expect(await run()).toContain("apply ConfigMap/web");
  });

  test("converges with the last known source while a later poll fails, and reports it", async () => {
    const { bench, run, conditions } = aScene(ready("1"));
    await run();
    expect(await run(ready("2", { stale: missing }))).toEqual([
      "status BuildInfo/web",
      "apply ConfigMap/web",
      "status BuildInfo/web",
    ]);
    expect(childOf(bench, "web")["data"]).toEqual({ revision: "2".repeat(40) });
    expect(conditions()).toEqual(["False SourceNotFound", "False SourceNotFound", "True Applied"]);
  });

  test("checks again when the source requests it", async () => {
    const { bench, scene } = aScene(undefined);
    scene.sourced = { state: failed(missing), retryAfterMs: 1_000 };
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 1_000 });
  });

  test("has no condition Sourced if the resource follows no source", async () => {
    const { bench, run } = aScene(undefined);
    await run();
    expect([bench.condition("Ready"), bench.condition("Sourced")]).toEqual(["True Reconciled", undefined]);
  });

  test("follows no source for a resource that is being deleted", async () => {
    const { bench, forgotten, run } = aScene(ready("1"));
    await run();
    const { metadata } = bench.resource;
    bench.edit({ ...bench.resource, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await run();
    expect(forgotten).toEqual(["shop/web"]);
  });

  test("forgets the source of a resource that is deleted while it is read", async () => {
    const { bench, sources, forgotten, run } = aScene(ready("1"));
    const { read } = sources;
    sources.read = async () => {
      bench.vanish(bench.resource);
      return await read();
    };
    await run();
    expect(forgotten).toEqual([]);
    // The run after the deletion
    await run();
    expect(forgotten).toEqual(["shop/web"]);
  });
});

describe("a reconcile of a kind that handles every state of its source", () => {
  test("runs its chart while the source is pending, and keeps what was ready", async () => {
    const { run, conditions } = aScene({ state: "pending" }, { required: false });
    expect(await run()).toContain("apply ConfigMap/web");
    expect(conditions()).toEqual(["Unknown SourcePending", "Unknown SourcePending", "True Applied"]);
  });

  test("is not ready without a source if it has no verdict", async () => {
    const { run, conditions } = aScene(failed(missing), { required: false });
    await run();
    expect(conditions()).toEqual(["False SourceNotFound", "False SourceNotFound", "True Applied"]);
  });

  test("has the readiness of its verdict", async () => {
    const verdict: Verdict = { status: "Current", message: "nothing to do" };
    const { run, conditions } = aScene(failed(missing), { required: false, verdict });
    await run();
    expect(conditions()).toEqual(["True Reconciled", "False SourceNotFound", "True Applied"]);
  });
});

test("a kind that declares a source reports if no source is followed", async () => {
  const bench = new ReconcileBench({ kind: buildInfo, resource: { spec } });
  await bench.reconcile();
  expect(bench.condition("Ready")).toBe("False SourceInvalid");
});
