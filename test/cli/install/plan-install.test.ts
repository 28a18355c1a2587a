import { describe, expect, test } from "vitest";
import { kinds } from "../../../charts/bindings.ts";
import { kindOf } from "../../../cli/install/installable-kinds.ts";
import { mayTakeOver, planInstall } from "../../../cli/install/plan-install.ts";
import { refuseLostVersions } from "../../../cli/install/stored-versions.ts";
import type { KubernetesObject } from "../../../crds/object.ts";

const values = { image: "fairlead:1" };
const plan = planInstall(kinds, values, { crdsOnly: false });
const live = (kind: string, labels: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "fairlead", labels },
});
const name = "app.kubernetes.io/name";
const instance = "app.kubernetes.io/instance";
const label = "fairlead.dev/installation";

describe("planInstall()", () => {
  test("orders permissions and fences before the pods, and the namespace first", () => {
    const order = plan.objects.map(({ kind }) => kind);
    expect(order.at(0)).toBe("Namespace");
    expect(order.at(-1)).toBe("Deployment");
    expect(plan.definitions.map(({ metadata }) => metadata.name)).toEqual([
      "releases.fairlead.dev",
      "releasepolicies.fairlead.dev",
      "approvals.fairlead.dev",
      "freezes.fairlead.dev",
    ]);
    const samples = { ...values, samples: { enabled: true } };
    expect(planInstall(kinds, samples, { crdsOnly: false }).definitions).toHaveLength(4 + kinds.length);
    expect(planInstall(kinds, values, { crdsOnly: true }).objects).toEqual([]);
  });

  test("contains every kind that any values create, so that its objects can be found for removal", () => {
    const enabled = { enabled: true };
    const monitoring = { serviceMonitor: enabled, prometheusRule: enabled, dashboard: enabled };
    const releases = { ...enabled, impersonate: true, hooks: { ...enabled, secret: "hooks" } };
    const everything = {
      ...values,
      monitoring,
      releases,
      repository: { url: "/r" },
      watchedNamespaces: ["a"],
    };
    const { objects } = planInstall(kinds, everything, { crdsOnly: false });
    expect(() => objects.map(kindOf)).not.toThrow();
    for (const { metadata } of objects) expect(metadata.labels?.[label]).toBe("fairlead-system.fairlead");
  });
});

test("planInstall() includes the user defaults if the cluster supports them, unless a value disables them", () => {
  const hasPolicy = (given: object, hasMutatingPolicies?: boolean) =>
    planInstall(kinds, { ...values, ...given }, { crdsOnly: false, hasMutatingPolicies }).objects.some(
      ({ kind }) => kind === "MutatingAdmissionPolicy",
    );
  expect([hasPolicy({}), hasPolicy({}, false), hasPolicy({}, true)]).toEqual([false, false, true]);
  expect(hasPolicy({ policies: { userDefaults: true } }, false)).toBe(true);
  expect(hasPolicy({ policies: { userDefaults: false } }, true)).toBe(false);
});

test("planInstall() includes the CustomResourceDefinition of Release if there are Releases", () => {
  const namesOf = (releases: object) =>
    planInstall(
      kinds,
      { ...values, samples: { enabled: true }, releases },
      { crdsOnly: true },
    ).definitions.map(({ metadata }) => metadata.name);
  expect(namesOf({ enabled: true })).toContain("releases.fairlead.dev");
  expect(namesOf({})).toContain("releases.fairlead.dev");
  expect(namesOf({ enabled: false })).not.toContain("releases.fairlead.dev");
});

describe("mayTakeOver()", () => {
  test.for([
    ["its own object", "ClusterRole", { [label]: "fairlead-system.fairlead" }, true],
    ["one from the same manifests", "ClusterRole", { [name]: "fairlead", [instance]: "fairlead" }, true],
    ["its own namespace", "Namespace", { [label]: "fairlead-system.fairlead" }, true],
    ["somebody's namespace", "Namespace", {}, false],
  ] as const)("%s", ([, kind, labels, may]) => {
    expect(mayTakeOver(live(kind, labels), plan)).toBe(may);
  });

  test.for([
    [{ [label]: "ops.fairlead" }, "belongs to the installation ops.fairlead"],
    [{}, "belongs to another owner"],
    [{ [name]: "fairlead", [instance]: "other" }, "belongs to another owner"],
  ] as const)("refuses an object with the labels %j", ([labels, complaint]) => {
    expect(() => mayTakeOver(live("ClusterRole", labels), plan)).toThrow(complaint);
  });
});

describe("refuseLostVersions()", () => {
  const crd = (versions: readonly string[], storedVersions: readonly string[] = []): KubernetesObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "webs.example.dev" },
    spec: { versions: versions.map((version) => ({ name: version })) },
    status: { storedVersions },
  });

  test.for([
    [["v1"], undefined],
    [["v1"], ["v1"]],
    [["v1", "v2"], ["v1"]],
    [
      ["v1", "v2"],
      ["v1", "v2"],
    ],
  ] as const)("accepts versions %j after stored %j", ([versions, stored]) => {
    refuseLostVersions(crd(versions), stored && crd(stored, stored));
  });

  test("refuses to lose a version in which resources may be stored", () => {
    expect(() => refuseLostVersions(crd(["v2"]), crd(["v1", "v2"], ["v1", "v2"]))).toThrow(
      "Cannot upgrade CustomResourceDefinition webs.example.dev: resources may still be stored as v1",
    );
  });
});
