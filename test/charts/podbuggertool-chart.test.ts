import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { podbuggertool } from "../../charts/bindings.ts";
import { Pod } from "../../crds/core-kinds.ts";
import type { CustomResource, LiveObject } from "../../crds/object.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { toYaml } from "../../synth/yaml-text.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { observe } from "../fakes/observed.ts";
import { aResource } from "../fakes/resources.ts";

const busybox = {
  name: "ephemeral-busybox",
  image: "busybox",
  imagePullPolicy: "IfNotPresent",
  command: ["sh"],
  stdin: true,
  tty: true,
  terminationMessagePolicy: "File",
};

function aPod(
  name: string,
  { ready = true, containers = [] as readonly object[], metadata = {} } = {},
): LiveObject {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  const spec = { nodeName: "node-1", ephemeralContainers: containers };
  return aLiveObject({ kind: Pod, name, metadata, fields: { spec, status: { conditions } } });
}

const aTool = (image: string) => aResource(podbuggertool, { spec: { label: "app=payment", image } });

/** The additions of a tool, by the name of the pod. */
function addedBy(image: string, ...pods: readonly LiveObject[]): Readonly<Record<string, unknown>> {
  const { additions, manifests } = synthesize(podbuggertool, aTool(image), observe(...pods));
  expect(manifests).toEqual([]);
  return Object.fromEntries(
    additions.map(({ manifest }) => [
      manifest.metadata.name,
      (manifest["spec"] as { ephemeralContainers: object[] }).ephemeralContainers,
    ]),
  );
}

describe("PodbuggertoolChart", () => {
  test("adds exactly the original's container to each ready pod, and nothing else", async () => {
    const sample = join(import.meta.dirname, "../../samples/podbuggertool.yaml");
    const resource = parse(await readFile(sample, "utf8")) as CustomResource;
    const { additions } = synthesize(podbuggertool, resource, observe(aPod("b"), aPod("a")));
    await expect(additions.map(({ manifest }) => toYaml(manifest)).join("---\n")).toMatchFileSnapshot(
      "golden/podbuggertool.yaml",
    );
  });

  test("waits until a pod is ready, and keeps the container of a pod that is no longer ready", () => {
    const pods = [
      aPod("starting", { ready: false }),
      aPod("failing", { ready: false, containers: [busybox] }),
    ];
    expect(addedBy("busybox", ...pods)).toEqual({ failing: [busybox] });
  });

  test("repeats the existing containers of a pod, because none can be removed", () => {
    const byHand = { name: "by-hand", image: "alpine", targetContainerName: "web" };
    const pod = aPod("web", { containers: [byHand, busybox] });
    expect(addedBy("busybox", pod)).toEqual({ web: [byHand, busybox] });
    expect(addedBy("alpine", pod)).toEqual({
      web: [byHand, busybox, { ...busybox, name: "ephemeral-alpine", image: "alpine" }],
    });
  });

  test.for([
    { image: "busybox", name: /^ephemeral-busybox$/ },
    { image: "busybox:1.36", name: /^ephemeral-busybox-1-36-[\da-f]{8}$/ },
    { image: "registry.example.dev:5000/Tools/net_tools@sha256:ab", name: /^ephemeral-registry-[a-z\d-]+$/ },
    { image: `example.dev/${"x".repeat(200)}`, name: /^ephemeral-example-dev-x[a-z\d-]+$/ },
  ])("names the container of $image so that the name is valid", ({ image, name }) => {
    const [container] = addedBy(image, aPod("web"))["web"] as { name: string }[];
    expect(container?.name).toMatch(name);
    expect(container?.name.length).toBeLessThanOrEqual(63);
  });
});

describe("status of a Podbuggertool", () => {
  test("counts the pods that have exactly its container and are not terminating", () => {
    const pods = [
      aPod("a", { containers: [{ ...busybox, resources: {} }] }),
      aPod("b", { ready: false, containers: [busybox] }),
      aPod("c", { containers: [{ ...busybox, image: "alpine" }] }),
      aPod("d", { containers: [busybox], metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      aPod("e"),
    ];
    expect(podbuggertool.status(aTool("busybox"), observe(...pods))).toEqual({ installed: 2 });
    expect(podbuggertool.status(aTool("nginx"), observe(...pods))).toEqual({ installed: 0 });
  });
});

describe("the pods of a Podbuggertool", () => {
  const [{ ownerKey, soughtKey } = { ownerKey: () => undefined, soughtKey: () => undefined }] =
    podbuggertool.related;

  test("are those of its namespace with its label", () => {
    const pod = aLiveObject({ kind: Pod, labels: { app: "payment", tier: "" } });
    expect(ownerKey(pod)).toEqual(["shop/app=payment", "shop/tier="]);
    expect(soughtKey?.(aTool("busybox"))).toBe("shop/app=payment");
  });

  test("are none if the spec is invalid", () => {
    expect(soughtKey?.(aResource(podbuggertool, { spec: undefined }))).toBeUndefined();
    expect(soughtKey?.(aResource(podbuggertool, { spec: {} }))).toBeUndefined();
  });

  test.for(["app", "app=pay ment", "=payment", "app=a=b", ""])(
    "are none if the label is %j, which is invalid",
    (label) => {
      const tool = aResource(podbuggertool, { spec: { label, image: "busybox" } });
      expect(() => synthesize(podbuggertool, tool, observe(aPod("web")))).toThrow(
        "spec.label: must be key=value, such as app=payment",
      );
    },
  );
});
