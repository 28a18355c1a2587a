import { beforeAll, describe, expect, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
import { eventually } from "./eventually.ts";
import { aStageRightsScene, type StageRightsScene, users } from "./stage-rights-scene.ts";

const apiVersion = "fairlead.dev/v1alpha1";
const [revision, digest] = ["1".repeat(40), "a".repeat(32)];

let count = 0;
const anObject = (kind: string, namespace: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { name: `${kind.toLowerCase()}-${++count}`, namespace },
  spec: { pipeline: "shop", stage: "prod", revision, digest, ...spec },
});

describe("a decision about a stage", () => {
  let scene: StageRightsScene;
  // Created as a user with all rights.
  const create = async (kind: string, spec: object = {}) => {
    const input = anObject(kind, scene.namespace, spec);
    const text = await scene.kubectl("create -o json -f -", { input });
    return (JSON.parse(text) as LiveObject).metadata.name;
  };
  const attempt = (args: readonly string[], user: string) =>
    scene
      .as(user)(args)
      .then(
        () => "allowed",
        (error: unknown) => String(error),
      );
  const remove = (kind: string, name: string, user: string) => attempt(["delete", kind, name], user);
  const would = (kind: string, name: string, user: string) =>
    attempt(["delete", kind, name, "--dry-run=server"], user);

  beforeAll(async () => {
    scene = await aStageRightsScene();
    const name = await create("Approval");
    await eventually(async () => (await would("approval", name, "nobody")).includes("may not delete"), {
      what: "the policy is in force",
    });
    await scene.grant("dev", "shop.dev", "approve", "promote", "bypass");
    await scene.grant("dev", "other.prod", "approve", "promote", "bypass");
    await scene.grant("approver", "shop.prod", "approve");
    await scene.grant("promoter", "shop.prod", "promote");
  });

  test("Reject of prod is deleted only with the verb approve on prod", async () => {
    const name = await create("Approval", { decision: "Reject" });
    const needs =
      "may not delete this Approval or add an owner to it: this needs the verb approve on stages.fairlead.dev shop.prod";
    expect(await remove("approval", name, "dev")).toContain(`dev ${needs}`);
    expect(await remove("approval", name, "promoter")).toContain(`promoter ${needs}`);
    expect(await remove("approval", name, users.deployer)).toContain(`${users.deployer} ${needs}`);
    expect(await remove("approval", name, "approver")).toBe("allowed");
    expect(await remove("approval", await create("Approval", { stage: "dev" }), "dev")).toBe("allowed");
  });

  test("to hold prod, and evidence of it, is deleted only with the verb promote on prod", async () => {
    const name = await create("Promotion", { hold: true });
    const needs =
      "may not delete this Promotion or add an owner to it: this needs the verb promote on stages.fairlead.dev shop.prod";
    expect(await remove("promotion", name, "dev")).toContain(`dev ${needs}`);
    expect(await remove("promotion", name, "approver")).toContain(`approver ${needs}`);
    expect(await remove("promotion", name, "promoter")).toBe("allowed");
    expect(await remove("promotion", await create("Promotion", { stage: "dev" }), "dev")).toBe("allowed");
  });

  test.each(["approval", "promotion"])(
    "is not deleted through an owner that does not exist: %s",
    async (kind) => {
      const name = await create(kind === "approval" ? "Approval" : "Promotion");
      const patch = (metadata: object, user: string) =>
        attempt(
          ["patch", kind, name, "--type=merge", "--dry-run=server", "-p", JSON.stringify({ metadata })],
          user,
        );
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "1-2-3" }];
      expect(await patch({ ownerReferences }, "dev")).toContain("add an owner to it");
      expect(await patch({ annotations: { "example.dev/note": "seen" } }, "dev")).toBe("allowed");
      const may = kind === "approval" ? "approver" : "promoter";
      expect(await patch({ ownerReferences }, may)).toBe("allowed");
    },
  );

  test.each(["approval", "promotion"])(
    "is deleted by the operator and by cleaning controllers: %s",
    async (kind) => {
      const name = await create(kind === "approval" ? "Approval" : "Promotion");
      const cleaners = ["namespace-controller", "generic-garbage-collector"].map(
        (account) => `system:serviceaccount:kube-system:${account}`,
      );
      for (const user of [users.operator, "system:kube-controller-manager", ...cleaners])
        expect(await would(kind, name, user)).toBe("allowed");
      // Other accounts of controllers have no exemption.
      expect(await would(kind, name, "system:serviceaccount:kube-system:job-controller")).toContain(
        "may not delete",
      );
    },
  );
});
