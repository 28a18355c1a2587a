import { describe, expect, test } from "vitest";
import { Pod } from "../../crds/core-kinds.ts";
import { ObjectRejectedError, ReplacedError } from "../../operator/errors.ts";
import type { Addition } from "../../synth/manifest.ts";
import { aNamespace, applyObjects, kubectlJson } from "./fixture.ts";
import type { SeenResource } from "./harness.ts";
import { kubeAdapter } from "./kube-adapter.ts";

function anAddition(namespace: string, image: string, more: Partial<Addition> = {}): Addition {
  return {
    manifest: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace },
      spec: { ephemeralContainers: [{ name: "shell", image, terminationMessagePolicy: "File" }] },
    },
    kind: Pod,
    selector: undefined,
    subresource: "ephemeralcontainers",
    fieldManager: "fairlead/tools.example.dev/shop/a",
    ...more,
  };
}

async function aPod(namespace: string): Promise<SeenResource> {
  const metadata = { name: "web", namespace };
  await applyObjects({
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [{ name: "web", image: "web" }] },
  });
  return await kubectlJson<SeenResource>(["get", "pod", "web", "-n", namespace]);
}

describe("an addition to an object of another owner", () => {
  test("is merged with additions of others, and does not make the operator its owner", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const { uid } = (await aPod(namespace)).metadata;
    expect((await cluster.add(anAddition(namespace, "busybox"), { uid })).ours).toBe(false);
    const same = anAddition(namespace, "busybox", { fieldManager: "fairlead/tools.example.dev/shop/b" });
    const live = await cluster.add(same, { uid });
    expect(live["spec"]).toMatchObject({ ephemeralContainers: [{ name: "shell", image: "busybox" }] });
  });

  test("never creates the object, nor changes another one with its name", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const addition = anAddition(namespace, "busybox");
    const uid = "00000000-0000-0000-0000-000000000000";
    await expect(cluster.add(addition, { uid })).rejects.toThrow(ReplacedError);
    await aPod(namespace);
    await expect(cluster.add(addition, { uid })).rejects.toThrow(ReplacedError);
  });

  test("does not take over a field of another manager, and names the manager and the field", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const { uid } = (await aPod(namespace)).metadata;
    await cluster.add(anAddition(namespace, "busybox"), { uid });
    const refused = cluster.add(anAddition(namespace, "alpine", { fieldManager: "another" }), { uid });
    await expect(refused).rejects.toThrow(ObjectRejectedError);
    await expect(refused).rejects.toThrow(
      'spec.ephemeralContainers[name="shell"].image: conflict with "fairlead/tools.example.dev/shop/a"',
    );
    // nor an own field that is immutable
    await expect(cluster.add(anAddition(namespace, "alpine"), { uid })).rejects.toThrow("may not be changed");
  });
});
