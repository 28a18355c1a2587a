import { describe, expect, test } from "vitest";
import { leaseRules, operatorRulesOf } from "../../constructs/operator-role.ts";
import { ConfigMap, Namespace, Pod } from "../../crds/core-kinds.ts";
import { aGadgetKind } from "../fakes/gadget.ts";

const text = (rules: ReturnType<typeof leaseRules>) =>
  rules.map(
    ({ apiGroups: [group], resources: [resource], verbs }) => `${group}/${resource}: ${verbs.join(" ")}`,
  );
const look = "list watch";

describe("operatorRulesOf()", () => {
  test("allows what the kinds and their children need, and nothing else", () => {
    const related = [{ kind: Pod, selector: "app=web", ownerKey: () => undefined }];
    const { namespaced, cluster } = operatorRulesOf([aGadgetKind({ children: [ConfigMap], related })]);
    expect(text(namespaced)).toEqual([
      `/configmaps: get ${look} create patch delete`,
      `/pods: ${look}`,
      "events.k8s.io/events: create patch",
      `example.dev/gadgets: ${look}`,
      "example.dev/gadgets/finalizers: update",
      "example.dev/gadgets/status: patch",
    ]);
    expect(text(cluster)).toEqual(["/namespaces: list watch"]);
  });

  test("allows what a chart adds to objects of others by its subresource alone", () => {
    const related = [{ kind: Pod, ownerKey: () => undefined, subresource: "ephemeralcontainers" }];
    const { namespaced } = operatorRulesOf([aGadgetKind({ children: [], related })]);
    expect(text(namespaced)).toEqual([
      `/pods: ${look}`,
      "/pods/ephemeralcontainers: patch",
      "events.k8s.io/events: create patch",
      // Without children nobody sets `blockOwnerDeletion`, so there is no rule for finalizers.
      `example.dev/gadgets: ${look}`,
      "example.dev/gadgets/status: patch",
    ]);
  });

  test("allows no look at namespaces where some alone are watched", () => {
    const { cluster } = operatorRulesOf([aGadgetKind({ children: [ConfigMap] })], {
      watchesNamespaces: false,
    });
    expect(text(cluster)).toEqual([]);
  });

  test("says everything about one resource in one rule", () => {
    const related = [{ kind: ConfigMap, selector: "a=b", ownerKey: () => undefined }];
    const kinds = [aGadgetKind({ children: [ConfigMap], related }), aGadgetKind({ children: [ConfigMap] })];
    expect(operatorRulesOf(kinds)).toEqual(operatorRulesOf([aGadgetKind({ children: [ConfigMap] })]));
  });

  test("allows a finalizer only where garbage collection cannot reach a child", () => {
    const { namespaced, cluster } = operatorRulesOf([aGadgetKind({ children: [Namespace] })]);
    expect(text(namespaced)).toContain(`example.dev/gadgets: ${look} patch`);
    expect(text(cluster)).toEqual([`/namespaces: get ${look} create patch delete`]);
  });
});

test("leaseRules() allows one Lease, by name", () => {
  const [create, use] = leaseRules("fairlead");
  expect(create).toMatchObject({ verbs: ["create"] });
  expect(use).toMatchObject({ resourceNames: ["fairlead"], verbs: ["get", "update"] });
});
