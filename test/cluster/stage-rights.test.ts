import { beforeAll, describe, expect, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
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
const create = (user: string, input: object, groups?: readonly string[]) =>
  fixture
    .as(user, groups)("create -o json -f -", { input })
    .then((text) => JSON.parse(text) as LiveObject);

describe("a Promotion that a user creates", () => {
  const aPromotion = (spec: object = {}, metadata: object = {}) =>
    anObject("Promotion", { ...target, ...spec }, metadata);
  // Of an existing Pipeline: the garbage collector deletes the dependents of a missing one.
  let controlled: object;
  beforeAll(async () => {
    const stages = [{ name: "prod", releases: [{ name: "web" }] }];
    const owner = await create(
      "ada",
      anObject("Pipeline", { source: { url: "https://git.test/r.git" }, stages }),
    );
    const { name, uid } = owner.metadata;
    controlled = { ownerReferences: [{ apiVersion, kind: "Pipeline", name, uid, controller: true }] };
  });

  test("needs the verb promote, and contains its user", async () => {
    await expect(create("hugo", aPromotion())).rejects.toThrow(
      "hugo may not promote to this stage: this needs the verb promote on stages.fairlead.dev shop.prod",
    );
    await fixture.grant("hugo", "shop.prod", "promote");
    await expect(create("hugo", aPromotion({ by: "ada" }))).rejects.toThrow("spec.by must be the user");
    const { spec } = await create("hugo", aPromotion({ hold: true }));
    expect(spec).toMatchObject({ by: "hugo", hold: true });
  });

  test("that skips gates needs the verb bypass and a reason", async () => {
    await fixture.grant("ida", "shop.prod", "promote");
    const skips = { bypass: ["Soak"], reason: "outage", by: "ida" };
    await expect(create("ida", aPromotion(skips))).rejects.toThrow(
      "ida may not skip gates of this stage: this needs the verb bypass on stages.fairlead.dev shop.prod",
    );
    await fixture.grant("ida", "shop.prod", "bypass");
    await expect(create("ida", aPromotion({ ...skips, reason: undefined }))).rejects.toThrow(/reason/);
    await create("ida", aPromotion(skips));
  });

  test("cannot imitate one of the Pipeline, which only the operator creates", async () => {
    await fixture.grant("jan", "shop.prod", "promote", "bypass");
    const only = "only the operator creates the Promotions of a Pipeline";
    await expect(create("jan", aPromotion({ by: "jan" }, controlled))).rejects.toThrow(only);
    const labels = { "fairlead.dev/set": "set-x-v1" };
    await expect(create("jan", aPromotion({ by: "jan" }, { labels }))).rejects.toThrow(only);
    const { metadata } = await create("jan", aPromotion({ by: "jan" }));
    const patch = (change: object) =>
      fixture.as("jan")([
        ...["patch", "promotion", metadata.name, "--type=merge"],
        ...["-p", JSON.stringify({ metadata: change })],
      ]);
    await expect(patch(controlled)).rejects.toThrow(only);
    await expect(patch({ labels })).rejects.toThrow(only);
    await patch({ annotations: { "example.dev/note": "seen" } });
    for (const field of [{ approvals: [] }, { attempt: 1 }, { provenBy: "other" }, { candidate: 1 }])
      await expect(create("jan", aPromotion({ by: "jan", ...field }))).rejects.toThrow(
        "only the operator sets these fields of a Promotion",
      );
    const made = await create(users.operator, aPromotion({ attempt: 1 }, controlled));
    expect(made["spec"]).not.toHaveProperty("by");
    // Others may write to fields that are not its owner.
    await fixture.as("jan")(["annotate", "promotion", made.metadata.name, "example.dev/note=seen"]);
  });

  test("has its status only from the operator", async () => {
    const { metadata } = await create(users.operator, aPromotion({}, controlled));
    const patch = (user: string) =>
      fixture.as(user)([
        ...["patch", "promotion", metadata.name, "--subresource=status", "--type=merge"],
        ...["-p", JSON.stringify({ status: { phase: "Passed" } })],
      ]);
    await expect(patch("ada")).rejects.toThrow(
      "only the operator writes the status of Pipelines and Promotions",
    );
    await patch(users.operator);
  });
});

describe("a Release of a stage", () => {
  const aRelease = (ref: object, more: object = {}) =>
    anObject("Release", {
      source: { url: "https://git.test/r.git", ref },
      render: { manifests: {} },
      ...more,
    });
  const ofProd = { pipeline: "shop", stage: "prod" };
  const patch = (user: string, name: string, spec: object) =>
    fixture.as(user)(["patch", "release", name, "--type=merge", "-p", JSON.stringify({ spec })]);

  test("is pinned manually only with the verb promote", async () => {
    const needs =
      "may not pin a Release of this stage: this needs the verb promote on stages.fairlead.dev shop.prod";
    const { metadata } = await create("kim", aRelease(ofProd));
    await expect(patch("kim", metadata.name, { revision })).rejects.toThrow(`kim ${needs}`);
    await expect(create("kim", aRelease(ofProd, { revision }))).rejects.toThrow(needs);
    await patch(users.operator, metadata.name, { revision, digest });
    await expect(patch("kim", metadata.name, { revision: null })).rejects.toThrow(needs);
    await expect(patch("kim", metadata.name, { digest: null })).rejects.toThrow(needs);
    const leaves = { source: { ref: { pipeline: null, stage: null, branch: "main" } } };
    await expect(patch("kim", metadata.name, leaves)).rejects.toThrow(needs);
    await expect(patch("kim", metadata.name, { source: { ref: { stage: "dev" } } })).rejects.toThrow(
      /promote/,
    );
    // Everything else is unchanged.
    await patch("kim", metadata.name, { suspend: true, interval: "2m" });
    await fixture.grant("kim", "shop.prod", "promote");
    await patch("kim", metadata.name, { revision: "2".repeat(40) });
    await patch("kim", metadata.name, leaves);
  });

  test("may belong to a Pipeline of another namespace, in which the permission is then needed", async () => {
    const { metadata } = await create("leo", aRelease({ ...ofProd, namespace: "elsewhere" }));
    await fixture.grant("leo", "shop.prod", "promote");
    await expect(patch("leo", metadata.name, { revision })).rejects.toThrow(/needs the verb promote/);
  });

  test("is unrestricted if it does not belong to a stage", async () => {
    const { metadata } = await create("mia", aRelease({ branch: "main" }, { revision }));
    await patch("mia", metadata.name, { revision: "2".repeat(40) });
    await patch("mia", metadata.name, { revision: null, source: { ref: { branch: "next" } } });
    const joins = { source: { ref: { branch: null, ...ofProd } } };
    await expect(patch("mia", metadata.name, joins)).rejects.toThrow(/needs the verb promote/);
  });
});
