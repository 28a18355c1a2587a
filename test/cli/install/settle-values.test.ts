import { describe, expect, test } from "vitest";
import { kinds } from "../../../charts/bindings.ts";
import { readOperatorValues } from "../../../charts/values/operator-values.ts";
import type { StoredObject } from "../../../cli/install/install-client.ts";
import { titleOf } from "../../../cli/install/installable-kinds.ts";
import type { Values } from "../../../cli/install/merge-values.ts";
import { planInstall } from "../../../cli/install/plan-install.ts";
import { settleValues } from "../../../cli/install/settle-values.ts";
import type { KubernetesObject, ObjectKind } from "../../../crds/object.ts";

/** A cluster with these objects. */
function aClusterWith(objects: readonly KubernetesObject[]) {
  const byTitle = new Map(objects.map((object) => [titleOf(object), object]));
  return {
    read: async ({ kind }: ObjectKind, { name, namespace }: { name: string; namespace?: string }) => {
      const metadata = { name, ...(namespace !== undefined && { namespace }) };
      return byTitle.get(titleOf({ apiVersion: "v1", kind, metadata })) as StoredObject | undefined;
    },
  };
}

/** The installation of `fairlead install` with some values, with their ConfigMap or, as in earlier releases, without. */
function installed(values: Values, storedBy?: string): readonly KubernetesObject[] {
  const stored = storedBy === undefined ? {} : { stored: { values, version: storedBy } };
  const plan = planInstall(kinds, { image: "x/y:1", ...values }, { crdsOnly: false, ...stored });
  return [...plan.definitions, ...plan.objects];
}

const former = {
  samples: { enabled: true },
  releases: { enabled: true, impersonate: false, requireServiceAccount: false },
};

const settle = (given: Values, objects: readonly KubernetesObject[] = [], resetValues = false) =>
  settleValues(given, { client: aClusterWith(objects), kinds, resetValues, version: "2.0.0" });

describe("settleValues()", () => {
  test("uses the image of this release if there is no installation, and stores only the given values", async () => {
    expect(await settle({ replicas: 3 })).toEqual({
      values: { image: "fairlead:2.0.0", replicas: 3 },
      chosen: { replicas: 3 },
      notes: [],
    });
  });

  test("keeps the values of the last run, and reports them", async () => {
    const objects = installed({ replicas: 3, repository: { url: "/r" } }, "2.0.0");
    const { chosen, notes } = await settle({ repository: { branch: "env" } }, objects);
    expect(chosen).toEqual({ replicas: 3, repository: { url: "/r", branch: "env" } });
    expect(notes).toEqual([
      "Kept from the last run: replicas=3, repository.url=/r (--reset-values uses the defaults)",
    ]);
  });

  test("keeps nothing if the values are reset, and names what is lost", async () => {
    const objects = installed({ replicas: 3 }, "2.0.0");
    const { values, chosen, notes } = await settle({ logLevel: "debug", ha: null }, objects, true);
    expect([values, chosen]).toEqual([{ image: "fairlead:2.0.0", logLevel: "debug" }, { logLevel: "debug" }]);
    expect(notes).toEqual(["Not kept from the last run: replicas=3"]);
  });

  test.for([false, true])("installs with the defaults of values that are null (reset: %s)", async (reset) => {
    const given = { name: null, replicas: null, releases: { hooks: { secret: null } }, logLevel: "debug" };
    const { values, chosen } = await settle(given, installed({ replicas: 3 }, "2.0.0"), reset);
    expect(chosen).toEqual({ logLevel: "debug" });
    expect(readOperatorValues(values)).toMatchObject({ name: "fairlead", replicas: 2 });
    expect((await settle(given, [], reset)).chosen).toEqual(chosen);
  });

  test("reads the values of the named installation, and of no other", async () => {
    const objects = installed({ name: "lead", namespace: "ops", replicas: 3 }, "2.0.0");
    expect((await settle({}, objects)).chosen).toEqual({});
    const { chosen, notes } = await settle({ name: "lead", namespace: "ops" }, objects);
    expect([chosen["replicas"], notes.length]).toEqual([3, 1]);
  });

  test("refuses to start the image of an earlier release with the options of this one", async () => {
    const objects = installed({ image: "registry.test/fairlead:1.0.0" }, "1.0.0");
    await expect(settle({}, objects)).rejects.toThrow(
      "Cannot install 2.0.0 with the image registry.test/fairlead:1.0.0, which was set for 1.0.0: set the image of this release with --set image=…",
    );
    const image = "registry.test/fairlead:2.0.0";
    expect((await settle({ image }, objects)).chosen).toEqual({ image });
  });

  test("does not check the image if only CRDs are installed", async () => {
    const objects = installed({ image: "registry.test/fairlead:1.0.0", replicas: 3 }, "1.0.0");
    const options = { kinds, resetValues: false, version: "2.0.0" };
    const { chosen } = await settleValues({}, { client: aClusterWith(objects), ...options, crdsOnly: true });
    expect(chosen["replicas"]).toBe(3);
  });

  test("keeps the defaults with which an installation without stored values was created, and names them", async () => {
    const { chosen, notes } = await settle({}, installed(former));
    expect(chosen).toEqual({
      samples: { enabled: true },
      releases: { requireServiceAccount: false, impersonate: false },
    });
    expect(notes[0]).toContain(
      "whose defaults were samples.enabled=true, releases.enabled=false, releases.impersonate=false, releases.requireServiceAccount=false",
    );
    expect(notes[2]).toContain(
      "Kept from the last run: releases.impersonate=false, releases.requireServiceAccount=false, samples.enabled=true",
    );
    expect((await settle({ samples: { enabled: false } }, installed(former))).chosen["samples"]).toEqual({
      enabled: false,
    });
  });

  describe("derives from permissions", () => {
    const own = { enabled: true, impersonate: false, requireServiceAccount: false };
    const samples = { enabled: true };
    const ingresses = { group: "networking.k8s.io", resource: "ingresses" };
    const every = { group: "*", resource: "*" };
    const clusterRoles = {
      group: "rbac.authorization.k8s.io",
      resource: "clusterroles",
      namespaced: false,
    };
    const rulesOf = (objects: readonly KubernetesObject[]) =>
      objects.filter(({ kind }) => kind.endsWith("Role")).map((role) => [titleOf(role), role["rules"]]);

    test.for<[Values]>([
      [{}],
      [{ commonKinds: false }],
      [{ commonKinds: false, kinds: [ingresses] }],
      [{ commonKinds: false, kinds: [every] }],
      [{ kinds: [every], watchAll: true }],
      [{ watchAll: true, readSecrets: true }],
      [{ kinds: [{ group: "", resource: "secrets" }] }],
      [{ kinds: [{ group: "", resource: "secrets", verbs: ["list"] }] }],
      [{ kinds: [{ ...ingresses, verbs: ["get"] }] }],
      [{ requireServiceAccount: true, impersonate: true, kinds: [every] }],
      [{ requireServiceAccount: true, impersonate: true, commonKinds: false, kinds: [ingresses] }],
    ])("exactly these: %j", async ([rights]) => {
      const releases = { ...own, ...rights };
      for (const values of [
        { samples, releases },
        { kinds: ["Memcached"], releases },
        {
          releases: {
            ...releases,
            kinds: [...((rights["kinds"] as readonly object[] | undefined) ?? []), clusterRoles],
          },
          watchedNamespaces: ["a"],
        },
      ]) {
        const before = installed(values);
        const { chosen } = await settle({}, before);
        expect(rulesOf(installed(chosen))).toEqual(rulesOf(before));
      }
    });

    test("values with the same effect as the permissions", async () => {
      const releasesOf = async (rights: Values) =>
        (await settle({}, installed({ samples, releases: { ...own, ...rights } }))).chosen["releases"];
      const same = { impersonate: false, requireServiceAccount: false };
      expect(await releasesOf({ commonKinds: false, kinds: [ingresses] })).toEqual({
        ...same,
        commonKinds: false,
        kinds: [ingresses],
      });
      expect(await releasesOf({ kinds: [every] })).toEqual({ ...same, kinds: [every] });
      expect(await releasesOf({ kinds: [every, { group: "", resource: "secrets" }] })).toEqual({
        ...same,
        kinds: [every, { group: "", resource: "secrets" }],
      });
    });

    test("and stops at a permission that no value grants, unless the kinds for Releases are given", async () => {
      const wild = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] };
      const objects = installed({ samples, releases: own }).map((object) =>
        object.kind === "ClusterRole"
          ? { ...object, rules: [...(object["rules"] as readonly unknown[]), wild] }
          : object,
      );
      await expect(settle({}, objects)).rejects.toThrow(
        "would lose rights that no value grants: * deployments.apps. Set the kinds that Releases may deploy: --set releases.kinds=…",
      );
      const kept = await settle({ releases: { kinds: [ingresses] } }, objects);
      expect(kept.chosen["releases"]).toMatchObject({ kinds: [ingresses] });
      expect((await settle({}, objects, true)).chosen).toEqual({});
    });
  });

  test("uses the new defaults if the values of such an installation are reset, and says how to go back", async () => {
    const { chosen, notes } = await settle({}, installed(former), true);
    expect(chosen).toEqual({});
    expect(notes[1]).toBe(
      "It now gets the defaults of this release. To keep the previous ones: --set samples.enabled=true --set releases.enabled=false " +
        "--set releases.impersonate=false --set releases.requireServiceAccount=false",
    );
  });

  test("derives the number of pods and their image pull policy", async () => {
    const pods = { replicas: 3, imagePullSecrets: ["registry", "mirror"], imagePullPolicy: "Always" };
    expect((await settle({}, installed({ ...former, ...pods }))).chosen).toMatchObject(pods);
    const one = { ha: false };
    const { chosen } = await settle({}, installed({ ...former, ...one }));
    expect(chosen).toMatchObject(one);
    expect(chosen).not.toHaveProperty("replicas");
    expect((await settle({}, installed({ ...former, replicas: 0 }))).chosen["replicas"]).toBe(0);
  });

  test("derives nothing from a Deployment of another owner", async () => {
    const objects = installed(former).map((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { app: "theirs" } },
    }));
    expect((await settle({}, objects)).chosen).toEqual({});
  });
});
