import { describe, expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { deliveryKinds, pipeline, promotion, shippedKinds } from "../../charts/bindings-delivery.ts";
import { chooseKinds } from "../../charts/choose-kinds.ts";
import { readOperatorValues } from "../../charts/values/operator-values.ts";
import type { CustomResource } from "../../crds/object.ts";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { chosenKinds } from "../../operator/config/chosen-kinds.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { observe } from "../fakes/observed.ts";
import { aResource } from "../fakes/resources.ts";

const namesOf = (chosen: readonly { readonly definition: { readonly kind: string } }[]) =>
  chosen.map(({ definition }) => definition.kind);

describe("the kinds of delivery", () => {
  test("are installed with Releases, independent of the other kinds", () => {
    const chosenBy = (values: object) =>
      chooseKinds(shippedKinds, readOperatorValues({ image: "i", ...values }));
    expect(namesOf(chosenBy({}).kinds)).toEqual(["Pipeline", "Promotion"]);
    expect(chosenBy({}).option).toBe("none");
    const samples = chosenBy({ samples: { enabled: true } });
    expect(namesOf(samples.kinds)).toEqual(namesOf(shippedKinds));
    expect(samples.option).toBeUndefined();
    expect(namesOf(chosenBy({ kinds: ["Echo"], releases: { enabled: false } }).kinds)).toEqual(["Echo"]);
    expect(() => chosenBy({ kinds: ["Pipeline"] })).toThrow("expected one of the kinds that ship (Echo");
  });

  test("are reconciled with Releases, for any value of --kinds", () => {
    const on = { releases: true, releasePipelines: true };
    const off = { releases: false, releasePipelines: true };
    expect(chosenKinds(shippedKinds, { kinds: undefined, ...off })).toEqual(kinds);
    expect(chosenKinds(shippedKinds, { kinds: [], ...on })).toEqual(deliveryKinds);
    expect(namesOf(chosenKinds(shippedKinds, { kinds: ["Echo"], ...on }))).toEqual([
      "Echo",
      "Pipeline",
      "Promotion",
    ]);
    expect(() => chosenKinds(shippedKinds, { kinds: ["Pipeline"], ...on })).toThrow("--kinds: expected Echo");
  });

  test("read the Secrets of a Pipeline's source as the account that it names", () => {
    const actAs = (spec: object | undefined) => pipeline.source?.actAs?.(aResource(pipeline, { spec }));
    expect(actAs({ serviceAccountName: "git-reader" })).toBe("git-reader");
    expect([actAs({}), actAs(undefined)]).toEqual([undefined, undefined]);
  });

  test("are neither installed nor reconciled without Pipelines", () => {
    const values = readOperatorValues({ image: "i", releases: { pipelines: false } });
    expect(chooseKinds(shippedKinds, values)).toEqual({ kinds: [], option: "none" });
    const config = { kinds: undefined, releases: true, releasePipelines: false };
    expect(chosenKinds(shippedKinds, config)).toEqual(kinds);
  });

  test.for(deliveryKinds.map((kind) => ({ kind, title: kind.definition.kind })))(
    "return every status field that the schema requires, also for a failed resource ($title)",
    ({ kind }) => {
      for (const spec of [undefined, {}, { stages: [{ name: "a" }, { name: "a" }] }]) {
        const resource = aResource(kind, { spec });
        const status = kind.status(resource, observe());
        expect(kind.definition.status.safeParse({ ...status, conditions: undefined }).error).toBeUndefined();
        const clock = { reached: () => true };
        const record = kind.record?.fold({}, { resource, observed: observe(), clock, source: undefined });
        expect(record).toEqual({});
      }
    },
  );

  test("find the Releases, requests and Jobs that concern them, and none after the end", () => {
    const release = aLiveObject({
      kind: Release,
      name: "web",
      fields: { spec: { source: { ref: { pipeline: "shop", stage: "prod", namespace: "ops" } } } },
    });
    const ofPipeline = pipeline.related.find(({ kind }) => kind.kind === "Release");
    expect(ofPipeline?.ownerKey(release)).toBe("ops/shop");
    expect(ofPipeline?.fields).toEqual(["spec.revision", "spec.digest", "spec.next"]);
    const ofPromotion = promotion.related.find(({ kind }) => kind.kind === "Release");
    const open = aResource(promotion, { namespace: "ops", spec: { pipeline: "shop" } });
    expect(ofPromotion?.soughtKey?.(open)).toBe("ops/shop");
    const passed = { ...open, status: { passedAt: "2026-01-01T00:00:00Z" } } as CustomResource;
    expect(ofPromotion?.soughtKey?.(passed)).toBeUndefined();
    const started = aLiveObject({
      kind: Promotion,
      namespace: "ops",
      fields: { spec: { request: { name: "back" } } },
    });
    const ofRequest = promotion.related.find(({ kind }) => kind.kind === "Promotion");
    expect(ofRequest?.ownerKey(started)).toBe("ops/back");
  });
});
