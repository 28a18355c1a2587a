import { beforeAll, describe, expect, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
import { eventually } from "./eventually.ts";
import { aStageRightsFixture, type StageRightsFixture, users } from "./stage-rights-fixture.ts";

const apiVersion = "fairlead.dev/v1alpha1";
const [revision, digest] = ["1".repeat(40), "a".repeat(32)];

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "1-2-3" };

let count = 0;
const anObject = (kind: string, namespace: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { name: `${kind.toLowerCase()}-${++count}`, namespace },
  spec: { pipeline: "shop", stage: "prod", revision, digest, ...spec },
});

describe("an Approval or Promotion of a stage", () => {
  let fixture: StageRightsFixture;
  // Created as a user with all rights.
  const create = async (kind: string, spec: object = {}, metadata: object = {}) => {
    const object = anObject(kind, fixture.namespace, spec);
    const input = { ...object, metadata: { ...object.metadata, ...metadata } };
    const text = await fixture.kubectl("create -o json -f -", { input });
    return (JSON.parse(text) as LiveObject).metadata.name;
  };
  const attempt = (args: readonly string[], user: string) =>
    fixture
      .as(user)(args)
      .then(
        () => "allowed",
        (error: unknown) => String(error),
      );
  const remove = (kind: string, name: string, user: string) => attempt(["delete", kind, name], user);
  const wouldPatch = (kind: string, name: string, metadata: object, user: string) =>
    attempt(
      ["patch", kind, name, "--type=merge", "--dry-run=server", "-p", JSON.stringify({ metadata })],
      user,
    );
  const would = (kind: string, name: string, user: string) =>
    attempt(["delete", kind, name, "--dry-run=server"], user);

  beforeAll(async () => {
    fixture = await aStageRightsFixture();
    const name = await create("Approval");
    await eventually(async () => (await would("approval", name, "nobody")).includes("may not delete"), {
      what: "the policy is in force",
    });
    await fixture.grant("dev", "shop.dev", "approve", "promote", "bypass");
    await fixture.grant("dev", "other.prod", "approve", "promote", "bypass");
    await fixture.grant("approver", "shop.prod", "approve");
    await fixture.grant("promoter", "shop.prod", "promote");
  });

  test("that rejects a commit for prod is deleted only with the verb approve on prod", async () => {
    const name = await create("Approval", { decision: "Reject" });
    const needs =
      "may not delete this Approval or change its owners: this needs the verb approve on stages.fairlead.dev shop.prod";
    expect(await remove("approval", name, "dev")).toContain(`dev ${needs}`);
    expect(await remove("approval", name, "promoter")).toContain(`promoter ${needs}`);
    expect(await remove("approval", name, users.deployer)).toContain(`${users.deployer} ${needs}`);
    expect(await remove("approval", name, "approver")).toBe("allowed");
    expect(await remove("approval", await create("Approval", { stage: "dev" }), "dev")).toBe("allowed");
  });

  test("that holds prod is deleted only with the verb promote on prod", async () => {
    const name = await create("Promotion", { hold: true });
    const needs =
      "may not delete this Promotion or change its owners: this needs the verb promote on stages.fairlead.dev shop.prod";
    expect(await remove("promotion", name, "dev")).toContain(`dev ${needs}`);
    expect(await remove("promotion", name, "approver")).toContain(`approver ${needs}`);
    expect(await remove("promotion", name, "promoter")).toBe("allowed");
    expect(await remove("promotion", await create("Promotion", { stage: "dev" }), "dev")).toBe("allowed");
  });

  test.each(["approval", "promotion"])(
    "is not deleted through an owner that does not exist: %s",
    async (kind) => {
      const name = await create(kind === "approval" ? "Approval" : "Promotion");
      const patch = (metadata: object, user: string) => wouldPatch(kind, name, metadata, user);
      const ownerReferences = [owner];
      expect(await patch({ ownerReferences }, "dev")).toContain("change its owners");
      expect(await patch({ annotations: { "example.dev/note": "seen" } }, "dev")).toBe("allowed");
      // The garbage collector finds the owner by name.
      const owned = await create(kind === "approval" ? "Approval" : "Promotion", {}, { ownerReferences });
      const renamed = ownerReferences.map((reference) => ({ ...reference, name: "other" }));
      expect(await wouldPatch(kind, owned, { ownerReferences: renamed }, "dev")).toContain(
        "change its owners",
      );
      const may = kind === "approval" ? "approver" : "promoter";
      expect(await patch({ ownerReferences }, may)).toBe("allowed");
    },
  );

  test("keeps its controller, without which a Pipeline does not read a Promotion as its own", async () => {
    const input = anObject("Promotion", fixture.namespace, { number: 1 });
    const ownerReferences = [{ ...owner, controller: true }];
    // No garbage collector runs here.
    await fixture.as(users.operator)("create -f -", {
      input: { ...input, metadata: { ...input.metadata, ownerReferences } },
    });
    const patch = (references: readonly object[] | null, user = "dev") =>
      wouldPatch("promotion", input.metadata.name, { ownerReferences: references }, user);
    expect(await patch(ownerReferences)).toBe("allowed");
    expect(await patch(null)).toContain("dev may not delete this Promotion or change its owners");
    expect(await patch([{ ...owner, controller: false }])).toContain("change its owners");
    expect(await patch(null, "promoter")).toBe("allowed");
    expect(await patch(null, users.operator)).toBe("allowed");
  });

  test.each(["approvals", "promotions"])(
    "is not deleted by a request for all of them in the namespace: %s",
    async (resource) => {
      const kind = resource === "approvals" ? "Approval" : "Promotion";
      const others = await create(kind);
      const path = `/apis/${apiVersion}/namespaces/${fixture.namespace}/${resource}`;
      const remove = (user: string) => attempt(["delete", "--raw", path], user);
      expect(await remove("dev")).toContain(`dev may not delete this ${kind}`);
      const left = await fixture.kubectl(["get", resource, "-n", fixture.namespace, "-o", "name"]);
      expect(left).toContain(`/${others}\n`);
    },
  );

  test.each(["approval", "promotion"])(
    "is deleted by the operator, the namespace controller and the garbage collector: %s",
    async (kind) => {
      const name = await create(kind === "approval" ? "Approval" : "Promotion");
      const controllers = ["namespace-controller", "generic-garbage-collector"].map(
        (account) => `system:serviceaccount:kube-system:${account}`,
      );
      for (const user of [users.operator, "system:kube-controller-manager", ...controllers])
        expect(await would(kind, name, user)).toBe("allowed");
      // Other accounts of controllers have no exemption.
      expect(await would(kind, name, "system:serviceaccount:kube-system:job-controller")).toContain(
        "may not delete",
      );
    },
  );
});
