import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, Pod } from "../../crds/core-kinds.ts";
import { Release } from "../../crds/release.ts";
import { aGadgetKind, Gadget } from "../fakes/gadget.ts";

const ownerKey = () => undefined;
const bound = (...related: readonly object[]) =>
  aGadgetKind({ children: [ConfigMap], related: related as never });

describe("bindKind() with fields of related objects", () => {
  test.for([
    { fields: ["spec.revision", "spec.next"] },
    { fields: ["spec.template.spec.priorityClassName", "spec.paused"] },
    { fields: ["data.key"] },
  ])("accepts $fields", ({ fields }) => {
    expect(bound({ kind: Release, ownerKey, fields }).related).toMatchObject([{ fields }]);
  });

  test.for([
    { fields: [], why: "has an empty list of fields" },
    { fields: ["spec"], why: 'has "spec", which is not the path of a field' },
    { fields: [""], why: 'has "", which is not the path of a field' },
    { fields: [".spec.paused"], why: "which is not the path of a field" },
    { fields: ["spec..paused"], why: "which is not the path of a field" },
    { fields: ["spec.containers[0].image"], why: "which is not the path of a field" },
    { fields: ['spec.containers[name="web"].image'], why: "which is not the path of a field" },
    { fields: ["spec.*"], why: "which is not the path of a field" },
    { fields: ["spec.paused' || true"], why: "which is not the path of a field" },
    { fields: ["metadata.name"], why: 'has "metadata.name", which only its owner may set' },
    { fields: ["metadata.finalizers"], why: "which only its owner may set" },
    { fields: ["metadata.labels.a"], why: "which only its owner may set" },
    { fields: ["status.replicas"], why: "which only its owner may set" },
    { fields: ["spec.paused", "spec.paused"], why: 'has "spec.paused", which "spec.paused" includes' },
    { fields: ["spec.next.ref", "spec.next"], why: 'has "spec.next.ref", which "spec.next" includes' },
  ])("refuses $fields", ({ fields, why }) => {
    expect(() => bound({ kind: Deployment, ownerKey, fields })).toThrow(why);
    expect(() => bound({ kind: Deployment, ownerKey, fields })).toThrow(/^Cannot bind "Gadget": Deployment /);
  });

  const fields = ["spec.paused"];
  test.for([
    {
      what: "a subresource and fields",
      related: [{ kind: Pod, ownerKey, subresource: "ephemeralcontainers", fields }],
      why: "Pod has both a subresource and fields",
    },
    {
      what: "a selector, which objects may leave",
      related: [{ kind: Deployment, ownerKey, fields, selector: "app=web" }],
      why: "Deployment has fields and a selector",
    },
    {
      what: "a child kind",
      related: [{ kind: ConfigMap, ownerKey, fields }],
      why: "ConfigMap is a child kind",
    },
    { what: "the kind itself", related: [{ kind: Gadget, ownerKey, fields }], why: "fields of its own kind" },
    {
      what: "trailers of objects that are only read",
      related: [{ kind: Deployment, ownerKey, trailers: () => [] }],
      why: "Deployment has trailers, which need fields and no soughtKey",
    },
    {
      what: "trailers of objects that resources look for",
      related: [{ kind: Deployment, ownerKey, soughtKey: () => "a", fields, trailers: () => [] }],
      why: "Deployment has trailers, which need fields and no soughtKey",
    },
    { what: "pods", related: [{ kind: Pod, ownerKey, fields }], why: "fields of pods cannot be set" },
    {
      what: "one kind twice",
      related: [
        { kind: Pod, ownerKey, subresource: "ephemeralcontainers" },
        { kind: { ...Pod, version: "v2" }, ownerKey, fields },
      ],
      why: "two related entries add to Pod",
    },
  ])("refuses $what", ({ related, why }) => {
    expect(() => bound(...related)).toThrow(why);
  });

  test("accepts a kind that is also only read", () => {
    const related = [
      { kind: Deployment, ownerKey, selector: "app=web" },
      { kind: Deployment, ownerKey, fields },
    ];
    expect(bound(...related).related).toHaveLength(2);
  });
});
