import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiVersionOf, type KubernetesObject } from "../../crds/object.ts";
import { RUN_FINALIZER } from "../../operator/engine/run-finalizer.ts";
import { attempt } from "../fakes/attempt-kind.ts";
import { fence } from "./fenced.ts";
import { applyObjects, eventually, kubectl, readObject, testCluster } from "./fixture.ts";
import { aHarness, type SeenResource, untilGone } from "./harness.ts";
import { install } from "./install.ts";
import { isWrite, lineOf } from "./operator-user.ts";

const { definition } = attempt;
const program = join(import.meta.dirname, "attempt-program.ts");

interface SeenPod extends KubernetesObject {
  readonly status?: { readonly phase?: string };
}

/** A fenced operator of Attempts. */
async function aFixture() {
  await install(testCluster(), { kinds: [attempt], name: "attempts" });
  const { namespace, start } = await aHarness({ program, publishes: false });
  const fenced = await fence(namespace, { kinds: [attempt], rights: "attempts" });
  const instance = await fenced.aPod("operator-1");
  const pod = () => readObject<SeenPod>("pod", "web", namespace);
  const find = () => readObject<SeenResource>("attempts.example.dev", "web", namespace);
  return {
    namespace,
    pod,
    start: () => start(fenced.args, instance),
    /** Creates the Attempt; the label chooses how long its pod runs. */
    run: async (simulate: "none" | "endless") => {
      const metadata = { name: "web", namespace, labels: { "fairlead.dev/simulate": simulate } };
      const { kind } = definition;
      await applyObjects({ apiVersion: apiVersionOf(definition), kind, metadata, spec: { image: "run:1" } });
    },
    untilPhase: (phase: string) =>
      eventually(async () => (await pod())?.status?.phase === phase, { what: `the pod is ${phase}` }),
    untilRecorded: (outcome: string) =>
      eventually(async () => (await find())?.status?.["outcome"] === outcome, {
        what: `${outcome} is recorded`,
      }),
    untilReleased: () =>
      eventually(async () => (await pod())?.metadata.finalizers === undefined, {
        what: "the finalizer is removed",
      }),
    deletePod: () => kubectl(["delete", "pod", "web", "-n", namespace, "--wait=false"]),
    podWrites: async () =>
      (await instance.requests())
        .filter((event) => isWrite(event) && event.objectRef?.resource === "pods")
        .map(lineOf),
  };
}

describe("a run of a kind with a record", () => {
  test("has its outcome recorded although it ends and is deleted while no operator runs", async () => {
    const { start, run, untilPhase, untilRecorded, deletePod, namespace, pod, podWrites } = await aFixture();
    const operator = await start();
    await run("endless");
    await untilPhase("Running");
    expect((await pod())?.metadata.finalizers).toEqual([RUN_FINALIZER]);
    await operator.stop();

    // Given a pod that ends, and that a user deletes
    const ends = ["label", "pod", "web", "-n", namespace, "--overwrite", "fairlead.dev/simulate=none"];
    await kubectl(ends);
    await untilPhase("Succeeded");
    await deletePod();
    expect((await pod())?.metadata.deletionTimestamp).toBeDefined();

    // When the operator starts again
    await start();

    // Then its outcome is recorded, the pod is removed, and it never ran twice
    await untilRecorded("Succeeded");
    await untilGone("pod", "web", namespace);
    const writes = await podWrites();
    expect(writes.filter((line) => line.endsWith("201"))).toEqual(["patch pods web 201"]);
  });

  test("has its finalizer removed when it has ended, so that it can be deleted without an operator", async () => {
    const { start, run, untilRecorded, untilReleased, deletePod, namespace, podWrites } = await aFixture();
    const operator = await start();
    await run("none");
    await untilRecorded("Succeeded");
    await untilReleased();
    await operator.stop();
    await deletePod();
    await untilGone("pod", "web", namespace);
    expect(await podWrites()).toEqual(["patch pods web 201", "patch pods web 200"]);
  });

  test("that a user deletes while it runs is recorded as deleted", async () => {
    const { start, run, untilPhase, untilRecorded, deletePod, namespace } = await aFixture();
    await start();
    await run("endless");
    await untilPhase("Running");
    await deletePod();
    await untilRecorded("Deleted");
    await untilGone("pod", "web", namespace);
  });

  test("is deleted with its resource, also if that was deleted while no operator ran", async () => {
    const { start, run, untilPhase, namespace } = await aFixture();
    const operator = await start();
    await run("endless");
    await untilPhase("Running");
    await operator.stop();
    await kubectl(["delete", "attempt", "web", "-n", namespace]);
    const next = await start();
    await untilGone("pod", "web", namespace);

    // The same while it runs
    await run("endless");
    await untilPhase("Running");
    await kubectl(["delete", "attempt", "web", "-n", namespace]);
    await untilGone("pod", "web", namespace);
    await next.stop();
  });
});
