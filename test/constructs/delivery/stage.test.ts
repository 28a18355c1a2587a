import { expect, test } from "vitest";
import { manifestsOf } from "./delivery-manifests.ts";

test("users who may decide about a stage may read its Releases, whose plans they decide about", () => {
  const reads = { apiGroups: ["fairlead.dev"], verbs: ["get", "list", "watch"] };
  const elsewhere = manifestsOf((pipeline) => {
    pipeline.addStage("prod").allowApprovals({ group: "leads" });
  }).filter(({ metadata }) => metadata.namespace === "shop-prod");
  expect(elsewhere).toMatchObject([
    { kind: "Role", metadata: { name: "shop-prod-approve" }, rules: [{ ...reads, resources: ["releases"] }] },
    {
      kind: "RoleBinding",
      metadata: { name: "shop-prod-approve" },
      roleRef: { kind: "Role", name: "shop-prod-approve" },
      subjects: [{ kind: "Group", name: "leads" }],
    },
  ]);
  const [, role, ...others] = manifestsOf((pipeline) => {
    pipeline.addStage("prod", { namespace: "delivery" }).allowPromotions({ group: "leads" });
  });
  expect(others.map(({ kind }) => kind)).toEqual(["RoleBinding"]);
  expect(role).toMatchObject({
    rules: [{}, { ...reads, resources: ["pipelines", "promotions", "approvals", "releases"] }, {}],
  });
});

test("users of a stage are named in one call", () => {
  expect(() =>
    manifestsOf((pipeline) => {
      pipeline.addStage("prod").allowApprovals({ user: "ann" }).allowApprovals({ user: "bea" });
    }),
  ).toThrow('Cannot allow users to approve for stage "prod" twice: name all of them in one call');
});

test.each([
  { verb: "approve", allow: "allowApprovals", resource: "approvals" },
  { verb: "promote", allow: "allowPromotions", resource: "promotions" },
  { verb: "bypass", allow: "allowBypass", resource: "promotions" },
] as const)(
  "users who may $verb have the verb for one stage of one Pipeline",
  ({ verb, allow, resource }) => {
    const manifests = manifestsOf((pipeline) => {
      pipeline
        .addStage("prod", { createNamespace: false })
        [allow]({ group: "leads" }, { user: "ann" }, { serviceAccount: "ci", namespace: "forge" });
    });
    const [, role, binding] = manifests;
    expect(role).toMatchObject({
      kind: "Role",
      metadata: { name: `shop-prod-${verb}`, namespace: "delivery" },
      rules: [
        { resources: ["stages"], resourceNames: ["shop.prod"], verbs: [verb] },
        { verbs: ["get", "list", "watch"] },
        { resources: [resource], verbs: ["create", "delete"] },
      ],
    });
    expect(binding).toMatchObject({
      kind: "RoleBinding",
      subjects: [
        { kind: "Group", name: "leads" },
        { kind: "User", name: "ann" },
        { kind: "ServiceAccount", name: "ci", namespace: "forge" },
      ],
    });
  },
);
