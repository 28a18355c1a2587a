import { describe, expect, test } from "vitest";
import { kinds } from "../../../charts/bindings.ts";
import type { StoredObject } from "../../../cli/install/install-client.ts";
import { planInstall } from "../../../cli/install/plan-install.ts";
import { findLeftDefinitions, noteRefusedReleases } from "../../../cli/install/upgrade-notes.ts";
import type { KubernetesObject, ObjectKind } from "../../../crds/object.ts";

const image = "registry.test/fairlead:1";

/** A cluster with these objects, whose user may not list or read some kinds. */
function aClusterWith(objects: readonly KubernetesObject[], forbidden: readonly string[] = []) {
  const ofKind = ({ kind }: ObjectKind) =>
    objects.filter((object) => object.kind === kind) as unknown as readonly StoredObject[];
  return {
    listIfAllowed: async (kind: ObjectKind) => (forbidden.includes(kind.kind) ? undefined : ofKind(kind)),
    readIfAllowed: async (kind: ObjectKind, { name }: { name: string }) =>
      ofKind(kind).find(({ metadata }) => metadata.name === name && !forbidden.includes(kind.kind)),
  };
}

function aRelease(namespace: string, serviceAccountName?: string): KubernetesObject {
  const spec = { target: serviceAccountName === undefined ? {} : { serviceAccountName } };
  return { apiVersion: "fairlead.dev/v1alpha1", kind: "Release", metadata: { name: "web", namespace }, spec };
}

describe("noteRefusedReleases()", () => {
  const cluster = aClusterWith([aRelease("a"), aRelease("b", "deployer"), aRelease("c")]);

  test("names the Releases without an account, and the solution", async () => {
    const [note, ...others] = await noteRefusedReleases(cluster, { image });
    expect(note).toMatch(
      /^Releases that name no ServiceAccount: a\/web, c\/web\. They are refused: their deployed objects stay/,
    );
    expect(note).toContain("--set releases.requireServiceAccount=false");
    expect(others).toEqual([]);
  });

  test.for([
    [{ releases: { requireServiceAccount: false } }],
    [{ releases: { enabled: false } }],
    [{ releases: { policy: { serviceAccountName: "tenant" } } }],
    [{ watchedNamespaces: ["b"] }],
  ])("is empty with %j", async ([values]) => {
    expect(await noteRefusedReleases(cluster, { image, ...values })).toEqual([]);
  });

  test("does not promise what a ReleasePolicy may change", async () => {
    const policy = { apiVersion: "fairlead.dev/v1alpha1", kind: "ReleasePolicy", metadata: { name: "p" } };
    const [note] = await noteRefusedReleases(aClusterWith([aRelease("a"), policy]), { image });
    expect(note).toContain("They are refused, unless a ReleasePolicy names one");
    const [unsure] = await noteRefusedReleases(aClusterWith([aRelease("a")], ["ReleasePolicy"]), { image });
    expect(unsure).toContain("They are refused, unless a ReleasePolicy names one");
  });

  test("is empty if the user may not list Releases", async () => {
    expect(await noteRefusedReleases(aClusterWith([aRelease("a")], ["Release"]), { image })).toEqual([]);
  });
});

describe("findLeftDefinitions()", () => {
  const plan = planInstall(kinds, { image, kinds: ["Memcached"] }, { crdsOnly: false });
  const nothing = { changes: [], hints: [] };
  const findLeft = (objects: readonly KubernetesObject[], forbidden: readonly string[] = []) =>
    findLeftDefinitions(aClusterWith(objects, forbidden), plan, { shipped: kinds, kinds: ["Memcached"] });
  const aDefinition = (name: string, manager: string) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, managedFields: [{ manager, operation: "Apply" }] },
  });
  const definitions = [
    aDefinition("echos.mmontes.io", "fairlead-cli"),
    aDefinition("memcacheds.cache.example.com", "fairlead-cli"),
    aDefinition("podsets.apps.jicki.cn", "kubectl"),
  ];
  const echo = {
    apiVersion: "mmontes.io/v1alpha1",
    kind: "Echo",
    metadata: { name: "e", namespace: "default" },
  };

  test("keeps the definitions of kinds that are no longer installed, and names resources that nothing reconciles", async () => {
    expect(await findLeft([...definitions, echo])).toEqual({
      changes: [
        {
          did: "left",
          title: "CustomResourceDefinition echos.mmontes.io",
          note: "Echo default/e not reconciled",
        },
      ],
      hints: ["To reconcile them: --set 'kinds=[Memcached,Echo]'"],
    });
    const { changes, hints } = await findLeft(definitions);
    expect(changes[0]?.note).toBe(
      "not one of the installed kinds; kubectl delete crd echos.mmontes.io removes it",
    );
    expect(hints).toEqual([]);
  });

  test("names in one hint all kinds that should be reconciled", async () => {
    const podSets = aDefinition("podsets.apps.jicki.cn", "fairlead-cli");
    const podSet = { apiVersion: "apps.jicki.cn/v1", kind: "PodSet", metadata: { name: "p" } };
    const { hints } = await findLeft([...definitions.slice(0, 2), podSets, echo, podSet]);
    expect(hints).toHaveLength(1);
    const [, ...named] = /kinds=\[(\w+),(\w+),(\w+)\]'$/.exec(hints[0] ?? "") ?? [];
    expect(new Set(named)).toEqual(new Set(["Memcached", "Echo", "PodSet"]));
  });

  test.for(["Deployment", "CustomResourceDefinition", "Echo"])(
    "is empty if the user may not list or read a %s",
    async (kind) => {
      expect(await findLeft([...definitions, echo], [kind])).toEqual(nothing);
    },
  );

  test("is empty if another installation may reconcile them", async () => {
    const labels = { "fairlead.dev/installation": "ops.lead" };
    const other = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "lead", labels } };
    expect(await findLeft([...definitions, other])).toEqual(nothing);
  });
});
