import { beforeAll, describe, expect, test } from "vitest";
import { approvalPolicyGap } from "../../charts/pipeline/approval-policy.ts";
import { ValidatingAdmissionPolicyBinding } from "../../crds/core-kinds.ts";
import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import { eventually } from "./eventually.ts";
import { aStageRightsFixture, type StageRightsFixture, users } from "./stage-rights-fixture.ts";

let fixture: StageRightsFixture;
beforeAll(async () => {
  fixture = await aStageRightsFixture();
});

const apiVersion = "fairlead.dev/v1alpha1";
const [revision, digest] = ["1".repeat(40), "a".repeat(32)];
const target = { pipeline: "shop", stage: "prod", revision, digest };

let count = 0;
const freshName = (prefix: string): string => `${prefix}-${++count}`;

const anObject = (kind: string, spec: object, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name: freshName(kind.toLowerCase()), namespace: fixture.namespace, ...metadata },
  spec,
});
const anApproval = (spec: object = {}) => anObject("Approval", { ...target, ...spec });
const create = (user: string, input: object, groups?: readonly string[]) =>
  fixture
    .as(user, groups)("create -o json -f -", { input })
    .then((text) => JSON.parse(text) as LiveObject);

describe("an Approval", () => {
  test("of another user is refused", async () => {
    await fixture.grant("ada", "shop.prod", "approve");
    await expect(create("ada", anApproval({ by: "bob" }))).rejects.toThrow(
      "spec.by must be the user who creates it: ada",
    );
    await create("ada", anApproval({ by: "ada" }));
  });

  test("without the verb approve on the stage is refused", async () => {
    await fixture.grant("carl", "shop.staging", "approve");
    await fixture.grant("carl", "other.prod", "approve");
    await fixture.grant("carl", "shop.prod", "promote", "bypass");
    await expect(create("carl", anApproval({ by: "carl" }))).rejects.toThrow(
      "carl may not approve or reject for this stage: this needs the verb approve on stages.fairlead.dev shop.prod",
    );
    await expect(create("carl", anApproval({ by: "carl", decision: "Reject" }))).rejects.toThrow(
      /may not approve/,
    );
    await create("carl", anApproval({ by: "carl", stage: "staging" }));
  });

  test("with a group that the user is not in is refused", async () => {
    await fixture.grant("dora", "shop.prod", "approve");
    await expect(create("dora", anApproval({ by: "dora", groups: ["sre"] }), ["dev"])).rejects.toThrow(
      "spec.groups has a group that dora is not in",
    );
    await create("dora", anApproval({ by: "dora", groups: ["sre"] }), ["dev", "sre"]);
  });

  test("is immutable", async () => {
    await fixture.grant("eve", "shop.prod", "approve");
    const { metadata } = await create("eve", anApproval({ by: "eve" }));
    for (const change of [{ decision: "Reject" }, { by: "mallory" }, { reason: "because" }])
      await expect(
        fixture.kubectl([
          ...["patch", "approval", metadata.name, "-n", fixture.namespace, "--type=merge"],
          ...["-p", JSON.stringify({ spec: change })],
        ]),
      ).rejects.toThrow("is immutable: delete the object and create another one");
    await fixture.as("eve")(["label", "approval", metadata.name, "seen=yes"]);
  });

  test("created with plain kubectl has the user and the groups filled in", async () => {
    await fixture.grant("finn", "shop.prod", "approve");
    const approval = await create("finn", anApproval(), ["sre"]);
    expect(approval["spec"]).toEqual({
      ...target,
      decision: "Approve",
      by: "finn",
      groups: expect.arrayContaining(["sre", "system:authenticated"]),
    });
    const freeze = await create("finn", anObject("Freeze", { reason: "sale" }));
    expect(freeze["spec"]).toEqual({ reason: "sale", by: "finn" });
    await expect(create("finn", anObject("Freeze", { reason: "sale", by: "ada" }))).rejects.toThrow(
      "spec.by must be the user who creates it: finn",
    );
  });

  test("stays when its user loses the permission, who then cannot create another one", async () => {
    const take = await fixture.grant("gina", "shop.prod", "approve");
    const { metadata } = await create("gina", anApproval({ by: "gina" }));
    await take();
    await expect(create("gina", anApproval({ by: "gina" }))).rejects.toThrow(/may not approve/);
    await fixture.as("gina")(["get", "approval", metadata.name]);
  });

  test("from git names the ServiceAccount that deploys it, which also needs the permission", async () => {
    await expect(create(users.deployer, anApproval({ by: users.deployer }))).rejects.toThrow(
      /may not approve/,
    );
    await fixture.grant(users.deployer, "shop.prod", "approve");
    await create(users.deployer, anApproval({ by: users.deployer }));
  });
});

describe("the policy for Approvals", () => {
  const observed = async () => {
    const lists = new Map<string, readonly LiveObject[]>();
    for (const kind of ["validatingadmissionpolicy", "validatingadmissionpolicybinding"]) {
      const text = await fixture.kubectl(["get", kind, "-l", "fairlead.dev/policy=approvals", "-o", "json"]);
      lists.set(kind, (JSON.parse(text) as { items: LiveObject[] }).items);
    }
    return { list: ({ kind }: ObjectKind) => lists.get(kind.toLowerCase()) ?? [] };
  };

  test("is reported as in force, and as missing without its binding", async () => {
    expect(approvalPolicyGap(await observed(), fixture.namespace)).toBeUndefined();
    const name = "operator.ops.approvals";
    const binding = await fixture.kubectl(["get", "validatingadmissionpolicybinding", name, "-o", "json"]);
    await fixture.kubectl(["delete", "validatingadmissionpolicybinding", name]);
    expect(approvalPolicyGap(await observed(), fixture.namespace)).toBe(
      `the binding of the admission policy ${name} is missing`,
    );
    const forged = () => create("mallory", anApproval({ by: "ada" }));
    await eventually(() => forged().then(() => true), { what: "a forged Approval is accepted" });
    const { spec } = JSON.parse(binding) as LiveObject;
    const input = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: ValidatingAdmissionPolicyBinding.kind,
      metadata: { name, labels: { "fairlead.dev/policy": "approvals" } },
      spec,
    };
    const warns = { ...input, spec: { ...(spec as object), validationActions: ["Warn"] } };
    await fixture.kubectl("apply --server-side --force-conflicts -f -", { input: warns });
    expect(approvalPolicyGap(await observed(), fixture.namespace)).toMatch(/rejects requests/);
    await fixture.kubectl("apply --server-side --force-conflicts -f -", { input });
    expect(approvalPolicyGap(await observed(), fixture.namespace)).toBeUndefined();
    const isRefused = () =>
      forged().then(
        () => false,
        (error: unknown) => /spec.by must be/.test(String(error)),
      );
    await eventually(isRefused, { what: "a forged Approval is refused again" });
  });
});
