import { describe, expect, test } from "vitest";
import { leaseRules, operatorRulesOf } from "../../constructs/operator-role.ts";
import { ConfigMap, Deployment, Namespace, Pod } from "../../crds/core-kinds.ts";
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
      `example.dev/gadgets: get ${look}`,
      "example.dev/gadgets/finalizers: update",
      "example.dev/gadgets/status: patch",
    ]);
    expect(text(cluster)).toEqual(["/namespaces: list watch"]);
  });

  test("allows additions of a chart to other owners' objects only by the subresource", () => {
    const related = [{ kind: Pod, ownerKey: () => undefined, subresource: "ephemeralcontainers" }];
    const { namespaced } = operatorRulesOf([aGadgetKind({ children: [], related })]);
    expect(text(namespaced)).toEqual([
      `/pods: ${look}`,
      "/pods/ephemeralcontainers: patch",
      "events.k8s.io/events: create patch",
      // Without children `blockOwnerDeletion` is never set, so there is no rule for finalizers.
      `example.dev/gadgets: ${look}`,
      "example.dev/gadgets/status: patch",
    ]);
  });

  test("allows patching other owners' objects, and the finalizer, if a chart sets their fields", () => {
    const related = [{ kind: Deployment, ownerKey: () => undefined, fields: ["spec.paused"] }];
    const { namespaced } = operatorRulesOf([aGadgetKind({ children: [], related })]);
    expect(text(namespaced)).toEqual([
      `apps/deployments: ${look} patch`,
      "events.k8s.io/events: create patch",
      `example.dev/gadgets: ${look} patch`,
      "example.dev/gadgets/status: patch",
    ]);
  });

  test("does not allow watching namespaces if only some are watched", () => {
    const { cluster } = operatorRulesOf([aGadgetKind({ children: [ConfigMap] })], {
      watchesNamespaces: false,
    });
    expect(text(cluster)).toEqual([]);
  });

  test("has one rule per resource", () => {
    const related = [{ kind: ConfigMap, selector: "a=b", ownerKey: () => undefined }];
    const kinds = [aGadgetKind({ children: [ConfigMap], related }), aGadgetKind({ children: [ConfigMap] })];
    expect(operatorRulesOf(kinds)).toEqual(operatorRulesOf([aGadgetKind({ children: [ConfigMap] })]));
  });

  test("allows a finalizer only if garbage collection cannot reach a child", () => {
    const { namespaced, cluster } = operatorRulesOf([aGadgetKind({ children: [Namespace] })]);
    expect(text(namespaced)).toContain(`example.dev/gadgets: get ${look} patch`);
    expect(text(cluster)).toEqual([`/namespaces: get ${look} create patch delete`]);
  });

  test("allows impersonating ServiceAccounts only if a kind acts as them", () => {
    const impersonation = (rules: ReturnType<typeof operatorRulesOf>) =>
      [...rules.namespaced, ...rules.cluster].filter(({ verbs }) => verbs.includes("impersonate"));
    expect(impersonation(operatorRulesOf([aGadgetKind()]))).toEqual([]);
    const rules = operatorRulesOf([aGadgetKind({ policy: { actAs: () => "deployer" } })]);
    expect(impersonation(rules).map(({ resources: [resource] }) => resource)).toEqual([
      "serviceaccounts",
      "userextras/fairlead.dev/holder",
    ]);
  });

  test("allows deleting resources only of a kind that retires them", () => {
    const { namespaced } = operatorRulesOf([aGadgetKind({ children: [ConfigMap], retire: () => undefined })]);
    expect(text(namespaced)).toContain(`example.dev/gadgets: get ${look} delete`);
  });
});

describe("operatorRulesOf() with Releases", () => {
  const kinds = [aGadgetKind({ children: [ConfigMap] })];
  const releases = {
    kinds: [{ group: "apps", resource: "deployments" }],
    watchAll: false,
    readSecrets: false,
    impersonate: false,
    serviceAccounts: [],
  };
  const own = `get ${look} create patch delete`;

  test("allows deploying the listed kinds and those that it reconciles, and nothing else", () => {
    const { namespaced, cluster } = operatorRulesOf(kinds, { releases });
    expect(text(namespaced)).toEqual([
      `/configmaps: ${own}`,
      `apps/deployments: ${own}`,
      "events.k8s.io/events: create patch",
      `example.dev/gadgets: ${own}`,
      "example.dev/gadgets/finalizers: update",
      "example.dev/gadgets/status: patch",
      // One read before a deleted object is recreated; its finalizer, and the metadata that makes it an ApplySet.
      `fairlead.dev/releases: get ${look} patch`,
      "fairlead.dev/releases/status: patch",
    ]);
    expect(text(cluster)).toEqual([`/namespaces: ${look}`, `fairlead.dev/releasepolicies: ${look}`]);
  });

  test("only allows watching the objects that Releases deploy with the permissions of a required account", () => {
    const { namespaced } = operatorRulesOf(kinds, {
      releases: { ...releases, readSecrets: true, impersonate: true, requireServiceAccount: true },
    });
    const ofObjects = text(namespaced).filter((rule) => /deployments|gadgets:|secrets/.test(rule));
    // `get` of its own kinds is for its own reconciles.
    expect(ofObjects).toEqual([`apps/deployments: ${look}`, `example.dev/gadgets: get ${look}`]);
  });

  test("allows each of these separately: a subset of a kind's verbs, a cluster-scoped kind, all kinds", () => {
    const named = [
      { group: "", resource: "configmaps", verbs: ["get", "list", "watch"] },
      { group: "rbac.authorization.k8s.io", resource: "clusterroles", namespaced: false },
    ];
    const { namespaced, cluster } = operatorRulesOf([], {
      releases: { ...releases, kinds: named, watchAll: true },
    });
    expect(text(namespaced)).toContain(`/configmaps: get ${look}`);
    expect(text(namespaced)).toContain(`*/*: ${look}`);
    expect(text(cluster)).toContain(`rbac.authorization.k8s.io/clusterroles: ${own}`);
  });

  test("allows reading Secrets and acting as ServiceAccounts only if that is enabled", () => {
    const { namespaced, cluster } = operatorRulesOf([], {
      releases: {
        ...releases,
        kinds: [],
        readSecrets: true,
        impersonate: true,
        serviceAccounts: ["deployer"],
      },
    });
    expect(text(namespaced)).toContain("/secrets: get");
    expect(namespaced.at(-1)).toEqual({
      apiGroups: [""],
      resources: ["serviceaccounts"],
      resourceNames: ["deployer"],
      verbs: ["impersonate"],
    });
    // Neither users nor groups.
    expect(text(cluster)).toEqual([
      `/namespaces: ${look}`,
      `fairlead.dev/releasepolicies: ${look}`,
      "authentication.k8s.io/userextras/fairlead.dev/holder: impersonate",
    ]);
    const any = operatorRulesOf([], { releases: { ...releases, impersonate: true } });
    expect(any.namespaced.at(-1)).not.toHaveProperty("resourceNames");
  });
});

test("leaseRules() allows one Lease, by name", () => {
  const [create, use] = leaseRules("fairlead");
  expect(create).toMatchObject({ verbs: ["create"] });
  expect(use).toMatchObject({ resourceNames: ["fairlead"], verbs: ["get", "update"] });
});
