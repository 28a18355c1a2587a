import { describe, expect, test } from "vitest";
import { AlreadyThereError } from "../../operator/errors.ts";
import { childKinds, manifestOf } from "./child-kinds.ts";
import { aNamespace } from "./fixture.ts";
import { kubeAdapter } from "./kube-adapter.ts";

const create = { mode: "create" } as const;

// The API server does not document that an apply with `resourceVersion: "1"` only creates: this test verifies it.
describe("an apply that may only create", () => {
  test.for(childKinds)("creates a $kind.kind once, and changes no other", async (child) => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const made = await cluster.apply(child.kind, manifestOf(child, namespace), create);
    expect(made).toMatchObject({ ours: true, metadata: { name: "web", namespace } });
    const again = cluster.apply(child.kind, manifestOf(child, namespace, { late: "yes" }), create);
    await expect(again).rejects.toBeInstanceOf(AlreadyThereError);
    const live = await cluster.read({ kind: child.kind, namespace, name: "web" });
    expect(live?.metadata.labels).toHaveProperty(["fairlead.dev/set"], "web");
    expect(live?.metadata.labels).not.toHaveProperty("late");
  });
});
