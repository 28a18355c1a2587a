import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../crds/object.ts";
import { Podbuggertool } from "../../crds/podbuggertool.ts";
import { applyObjects, eventually, kubectl, kubectlJson, readObject } from "./fixture.ts";
import { aHarness, applyResource, conditionOf, eventsOf, seen, untilCondition } from "./harness.ts";

interface SeenPod extends KubernetesObject {
  readonly spec: {
    readonly ephemeralContainers?: readonly { readonly name: string; readonly image: string }[];
  };
}

const busybox = {
  name: "ephemeral-busybox",
  image: "busybox",
  imagePullPolicy: "IfNotPresent",
  command: ["sh"],
  stdin: true,
  tty: true,
  terminationMessagePolicy: "File",
};
/** The API server's defaults. */
const filledIn = { resources: {}, terminationMessagePath: "/dev/termination-log" };

const aPod = (namespace: string, name: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, labels },
  spec: { containers: [{ name: "web", image: "example.dev/web:1" }] },
});
const payment = { app: "payment" };
const neverReady = { "fairlead.dev/simulate": "never-ready" };

/** Ephemeral containers of a pod, as `name=image`. */
async function containersOf(namespace: string, name: string): Promise<readonly string[]> {
  const pod = await readObject<SeenPod>("pod", name, namespace);
  return (pod?.spec.ephemeralContainers ?? []).map((container) => `${container.name}=${container.image}`);
}

const untilContainers = (namespace: string, name: string, wanted: readonly string[]) =>
  eventually(async () => (await containersOf(namespace, name)).join() === wanted.join(), {
    what: `pod ${name} has ${wanted.join(" and ")}`,
  });

const untilInstalled = (namespace: string, name: string, installed: number) =>
  eventually(async () => (await seen(Podbuggertool, namespace, name)).status?.["installed"] === installed, {
    what: `${name} is installed in ${installed} pods`,
  });

const untilRunning = (namespace: string, ...names: readonly string[]) =>
  kubectl(["wait", "--for=condition=Ready", "-n", namespace, ...names.map((name) => `pod/${name}`)]);

describe("a Podbuggertool", () => {
  test("adds its container to each ready pod with its label, by one apply, and changes nothing else", async () => {
    // Given pods with the label and without, in this namespace and in another
    const harness = await aHarness();
    const { namespace, repository, start } = harness;
    const elsewhere = await aHarness();
    const pods = [
      aPod(namespace, "old", payment),
      aPod(namespace, "other", { app: "other" }),
      aPod(elsewhere.namespace, "far", payment),
    ];
    await applyObjects(...pods, aPod(namespace, "late", { ...payment, ...neverReady }));
    await untilRunning(namespace, "old", "other");
    const before = await readObject<SeenPod>("pod", "old", namespace);

    // When there is a tool, and an operator
    await applyResource(Podbuggertool, namespace, { name: "tool", label: "app=payment", image: "busybox" });
    const first = await start();

    // Then the ready pod has the container, with exactly the fields of the reference
    await untilContainers(namespace, "old", ["ephemeral-busybox=busybox"]);
    const after = await readObject<SeenPod>("pod", "old", namespace);
    expect(after?.spec).toEqual({ ...before?.spec, ephemeralContainers: [{ ...busybox, ...filledIn }] });
    const withoutVersion = ({ metadata }: KubernetesObject) => ({
      ...metadata,
      resourceVersion: "",
      generation: 0,
    });
    expect(after && withoutVersion(after)).toEqual(before && withoutVersion(before));
    await untilInstalled(namespace, "tool", 1);
    const tool = await untilCondition(Podbuggertool, namespace, { type: "Ready", name: "tool" });
    expect(conditionOf(tool, "Published")).toBeUndefined();

    // and a pod that becomes ready, and a new one, get it at once
    await kubectl(["label", "pod", "late", "-n", namespace, "fairlead.dev/simulate-"]);
    await setReady(namespace, "late");
    await applyObjects(aPod(namespace, "new", payment));
    for (const name of ["late", "new"]) await untilContainers(namespace, name, ["ephemeral-busybox=busybox"]);
    await untilInstalled(namespace, "tool", 3);

    // and every pod had one apply
    const writes = (await harness.writes()).toSorted();
    expect(writes.filter((write) => !write.includes("/status"))).toEqual(
      ["late", "new", "old"].map((name) => `patch pods/ephemeralcontainers ${name} 200`),
    );
    const reported = await eventually(
      async () => {
        const events = await eventsOf(namespace, "Podbuggertool", "tool");
        return events.find(({ note }) => note.includes("/old"));
      },
      { what: "an event reports the pod" },
    );
    expect(reported).toMatchObject({
      type: "Normal",
      reason: "Extended",
      note: `Extended Pod ${namespace}/old: added to its ephemeralcontainers`,
    });

    // and no other pod changed, and nothing was committed
    expect(await containersOf(namespace, "other")).toEqual([]);
    expect(await containersOf(elsewhere.namespace, "far")).toEqual([]);
    expect(repository.commits()).toBe(0);

    // When the operator starts again, then it writes nothing
    await first.stop();
    const restarted = new Date();
    const second = await start();
    await applyObjects(aPod(namespace, "last", payment));
    await untilInstalled(namespace, "tool", 4);
    expect((await harness.writes(restarted)).toSorted()).toEqual([
      "patch podbuggertools/status tool 200",
      "patch pods/ephemeralcontainers last 200",
    ]);

    // When the tool is deleted, then its containers stay, and new pods get none
    await kubectl(["delete", "podbuggertool", "tool", "-n", namespace]);
    await applyObjects(aPod(namespace, "after", payment));
    await untilRunning(namespace, "after");
    await second.stop();
    expect(await containersOf(namespace, "after")).toEqual([]);
    expect(await containersOf(namespace, "old")).toEqual(["ephemeral-busybox=busybox"]);
  });

  test("adds to the containers of others in a pod, and keeps its earlier ones", async () => {
    // Given a pod with a manually added container, and two tools for it
    const { namespace, start } = await aHarness();
    await applyObjects(aPod(namespace, "web", payment));
    await untilRunning(namespace, "web");
    await putByHand(namespace, "web", "by-hand", "alpine");
    await start();
    await applyResource(Podbuggertool, namespace, { name: "a", label: "app=payment", image: "busybox" });
    await untilInstalled(namespace, "a", 1);
    await applyResource(Podbuggertool, namespace, {
      name: "b",
      label: "app=payment",
      image: "registry.example.dev:5000/Tools/net@sha256:0123456789",
    });
    await untilInstalled(namespace, "b", 1);

    // When the image of the first one changes, twice
    for (const image of ["busybox:1.36", "busybox"]) {
      await applyResource(Podbuggertool, namespace, { name: "a", label: "app=payment", image });
      await untilCondition(Podbuggertool, namespace, { type: "Ready", name: "a" });
      await untilInstalled(namespace, "a", 1);
    }

    // Then all of them exist, each once, with a valid name
    expect(await containersOf(namespace, "web")).toEqual([
      "by-hand=alpine",
      "ephemeral-busybox=busybox",
      expect.stringMatching(/^ephemeral-registry-example-dev-5000-tools-net-sha256-[\da-z-]+=registry/),
      expect.stringMatching(/^ephemeral-busybox-1-36-[\da-f]{8}=busybox:1\.36$/),
    ]);
    // and each tool is a field manager of its own
    const live = await kubectlJson<{ metadata: { managedFields: { manager: string; operation: string }[] } }>(
      ["get", "pod", "web", "-n", namespace, "--show-managed-fields"],
    );
    const managers = live.metadata.managedFields.filter(({ operation }) => operation === "Apply");
    expect(
      managers
        .map(({ manager }) => manager)
        .filter((name) => name.startsWith("fairlead"))
        .toSorted(),
    ).toEqual(["a", "b"].map((name) => `fairlead/podbuggertools.ualter.com/${namespace}/${name}`));
  });

  test("does not change another owner's container with its name, and names the pod", async () => {
    // Given a pod with another container of that name, and one without
    const { namespace, start } = await aHarness();
    await applyObjects(aPod(namespace, "taken", payment), aPod(namespace, "web", payment));
    await untilRunning(namespace, "taken", "web");
    await putByHand(namespace, "taken", "ephemeral-busybox", "alpine");
    await start();

    // When a tool wants it
    await applyResource(Podbuggertool, namespace, { name: "tool", label: "app=payment", image: "busybox" });

    // Then the other pod has its container, and condition and event name the pod with the conflict
    const refused = { type: "Applied", status: "False", reason: "ApplyRejected", name: "tool" };
    const tool = await untilCondition(Podbuggertool, namespace, refused);
    expect(conditionOf(tool, "Applied")?.message).toMatch(
      new RegExp(
        `^The API server refuses Pod ${namespace}/taken: .*ephemeral-busybox.*: conflict with "kubectl"`,
      ),
    );
    expect(tool.status?.["installed"]).toBe(1);
    expect(await containersOf(namespace, "web")).toEqual(["ephemeral-busybox=busybox"]);
    expect(await containersOf(namespace, "taken")).toEqual(["ephemeral-busybox=alpine"]);
    const warning = await eventually(
      async () => {
        const events = await eventsOf(namespace, "Podbuggertool", "tool");
        return events.find(({ type, note }) => type === "Warning" && note.includes(`Pod ${namespace}/taken`));
      },
      { what: "a warning that names the pod" },
    );
    expect(warning).toMatchObject({ reason: "ApplyRejected" });

    // When that pod is deleted, then the tool is healthy
    await kubectl(["delete", "pod", "taken", "-n", namespace, "--grace-period=0", "--force"]);
    await untilCondition(Podbuggertool, namespace, { type: "Ready", name: "tool" });
  });
});

/** As a kubelet reports it; the label for which KWOK ignores the pod was removed. */
async function setReady(namespace: string, name: string): Promise<void> {
  const conditions = ["Ready", "ContainersReady"].map((type) => ({ type, status: "True" }));
  const patch = JSON.stringify({ status: { phase: "Running", conditions } });
  await kubectl(["patch", "pod", name, "-n", namespace, "--subresource=status", "-p", patch]);
}

/** An ephemeral container that a user adds to a pod with kubectl. */
async function putByHand(namespace: string, pod: string, name: string, image: string): Promise<void> {
  const container = [`--image=${image}`, `--container=${name}`];
  await kubectl(["debug", pod, "-n", namespace, ...container, "--attach=false", "-q"]);
}
