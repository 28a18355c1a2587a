import { onTestFinished } from "vitest";
import { applyObjects, eventually, kubectl, readObject } from "./fixture.ts";

/** Binds the claim to a volume: the test cluster has no volume controller. */
export async function bindClaim(namespace: string): Promise<void> {
  const claim = await eventually(() => readObject("persistentvolumeclaim", "web", namespace), {
    what: "the claim exists",
  });
  const { uid } = claim.metadata;
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name: "web", namespace, uid };
  const volume = {
    capacity: { storage: "1Mi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/data" },
    claimRef,
  };
  const metadata = { name: namespace };
  onTestFinished(async () => {
    await kubectl(["delete", "pv", namespace, "--wait=false"]);
    await kubectl(["patch", "pv", namespace, "--type=merge", "-p", '{"metadata":{"finalizers":null}}']).catch(
      () => "",
    );
  });
  await applyObjects({ apiVersion: "v1", kind: "PersistentVolume", metadata, spec: volume });
  const bound = {
    metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
    spec: { volumeName: namespace },
  };
  await kubectl(["patch", "pvc", "web", "-n", namespace, "--type=merge", "-p", JSON.stringify(bound)]);
  const status = '{"status":{"phase":"Bound"}}';
  await kubectl([
    "patch",
    "pvc",
    "web",
    "-n",
    namespace,
    "--subresource=status",
    "--type=merge",
    "-p",
    status,
  ]);
}

/** Releases the claim after its deletion, like the controller that protects volumes in use. */
export async function releaseClaim(namespace: string): Promise<void> {
  await eventually(
    async () =>
      (await readObject("persistentvolumeclaim", "web", namespace))?.metadata.deletionTimestamp !== undefined,
    { what: "the claim is deleted" },
  );
  const patch = '{"metadata":{"finalizers":null}}';
  await kubectl(["patch", "pvc", "web", "-n", namespace, "--type=merge", "-p", patch]);
}
