import { describe, expect, test } from "vitest";
import { Namespace } from "../../../../crds/core-kinds.ts";
import type { LiveObject } from "../../../../crds/object.ts";
import { Release } from "../../../../crds/release.ts";
import { ReleasePolicy, type ReleaseRule } from "../../../../crds/release-policy.ts";
import { PolicyLimits } from "../../../../operator/desire/release/policy-limits.ts";
import { releaseKind, releasePolicyKind } from "../../../../operator/desire/release/release-kind.ts";
import type { WatchedStore } from "../../../../operator/runtime/store.ts";
import { aRelease } from "../../../fakes/releases.ts";
import { WatchedKinds } from "../../../fakes/watched-kinds.ts";

const aPolicy = (...rules: object[]): LiveObject => ({
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "ReleasePolicy",
  metadata: { name: "tenants", uid: "tenants", resourceVersion: "1" },
  ours: false,
  spec: { rules },
});
const aNamespace = (name: string, labels: Record<string, string>): LiveObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, uid: name, resourceVersion: "1", labels },
  ours: false,
});
const [shop, other] = [aRelease(), aRelease({ namespace: "other" })];

async function aPlatform({ installation }: { readonly installation?: ReleaseRule } = {}) {
  const kinds = new WatchedKinds({ kinds: [releaseKind, releasePolicyKind] });
  const woken: string[] = [];
  const wake = (keys: Iterable<string>): void => void woken.push(...keys);
  const limits = new PolicyLimits({ stores: kinds.stores, installation, allowsLocal: false });
  limits.onReleases(wake);
  const deliver = (type: "ADDED" | "MODIFIED" | "DELETED", object: LiveObject): void => {
    const [role, kind] =
      object.kind === "Namespace"
        ? (["namespace", Namespace] as const)
        : (["resource", object.kind === "Release" ? Release : ReleasePolicy] as const);
    const store = kinds.stores.watched.find((one) => one.role === role && one.kind === kind)?.store as
      | WatchedStore
      | undefined;
    store?.apply({ type, object });
  };
  for (const release of [shop, other]) deliver("ADDED", release);
  const originsOf = (release: LiveObject): unknown => {
    const rules = limits.select(release);
    return rules.state === "known" ? rules.limits.map(({ from }) => from) : rules.state;
  };
  const takeWoken = (): string[] => woken.splice(0);
  return { limits, deliver, originsOf, takeWoken };
}

describe("PolicyLimits", () => {
  test("requeues the Releases of the namespaces that an edit of a policy affects, and no others", async () => {
    const { deliver, originsOf, takeWoken } = await aPlatform();
    expect([shop, other].map(originsOf)).toEqual([[], []]);
    const policy = aPolicy({ namespaces: { names: ["shop"] }, sources: [] });
    deliver("ADDED", policy);
    expect(takeWoken()).toEqual(["shop/web"]);
    expect([shop, other].map(originsOf)).toEqual([["ReleasePolicy tenants, rule 1"], []]);

    deliver("MODIFIED", { ...policy, metadata: { ...policy.metadata, resourceVersion: "2" } });
    expect(takeWoken()).toEqual([]);
    deliver("DELETED", { ...policy, metadata: { ...policy.metadata, resourceVersion: "3" } });
    expect(takeWoken()).toEqual(["shop/web"]);
  });

  test("reports the namespaces whose rules have changed", async () => {
    const { limits, deliver, originsOf } = await aPlatform();
    const told: string[] = [];
    limits.onNamespaces((namespaces) => void told.push(...namespaces));
    expect([shop, other].map(originsOf)).toEqual([[], []]);
    deliver("ADDED", aPolicy({ namespaces: { names: ["shop"] }, sources: [] }));
    expect(told).toEqual(["shop"]);
  });

  test("forgets the rules of a namespace that is deleted", async () => {
    const { limits, deliver, originsOf } = await aPlatform();
    const told: string[] = [];
    limits.onNamespaces((namespaces) => void told.push(...namespaces));
    const namespace = aNamespace("shop", {});
    deliver("ADDED", namespace);
    expect(originsOf(shop)).toEqual([]);
    deliver("DELETED", { ...namespace, metadata: { ...namespace.metadata, resourceVersion: "2" } });
    deliver("ADDED", aPolicy({ namespaces: { names: ["shop"] }, sources: [] }));
    expect(told).toEqual([]);
  });

  test("requeues the Releases of a namespace when it is first observed, and when other rules match its labels", async () => {
    const { deliver, originsOf, takeWoken } = await aPlatform();
    deliver("ADDED", aPolicy({ namespaces: { matchLabels: { trust: "low" } }, sources: [] }));
    expect(originsOf(shop)).toBe("pending");
    const namespace = aNamespace("shop", { trust: "low" });
    deliver("ADDED", namespace);
    expect(takeWoken()).toEqual(["shop/web"]);
    expect(originsOf(shop)).toEqual(["ReleasePolicy tenants, rule 1"]);
    const { metadata } = namespace;
    deliver("MODIFIED", { ...namespace, metadata: { ...metadata, resourceVersion: "2", labels: {} } });
    expect(takeWoken()).toEqual(["shop/web"]);
    expect(originsOf(shop)).toEqual([]);
  });

  test("requeues the Release that is within the quota after another one is deleted", async () => {
    const { limits, deliver, takeWoken } = await aPlatform({ installation: { quotas: { releases: 1 } } });
    const second = aRelease({ name: "young" });
    const young = { ...second, metadata: { ...second.metadata, creationTimestamp: "2026-11-22T12:00:00Z" } };
    deliver("ADDED", young);
    expect([shop, young].map((release) => limits.olderThan(release))).toEqual([0, 1]);
    deliver("DELETED", { ...shop, metadata: { ...shop.metadata, resourceVersion: "9" } });
    expect(takeWoken()).toEqual(["shop/young"]);
    expect(limits.olderThan(young)).toBe(0);
  });

  test("replaces a Release that was deleted and recreated during a broken watch", async () => {
    const { limits, deliver, takeWoken } = await aPlatform({ installation: { quotas: { releases: 1 } } });
    const second = aRelease({ name: "young" });
    const young = { ...second, metadata: { ...second.metadata, creationTimestamp: "2026-11-22T12:00:00Z" } };
    deliver("ADDED", young);
    const created = { uid: "recreated", resourceVersion: "9", creationTimestamp: "2026-11-23T12:00:00Z" };
    const recreated = { ...shop, metadata: { ...shop.metadata, ...created } };
    deliver("MODIFIED", recreated);
    expect([young, recreated].map((release) => limits.olderThan(release))).toEqual([0, 1]);
    expect(takeWoken()).toEqual(["shop/young"]);
    deliver("DELETED", { ...recreated, metadata: { ...recreated.metadata, resourceVersion: "10" } });
    const youngest = { ...young.metadata, uid: "youngest", creationTimestamp: "2026-11-24T12:00:00Z" };
    expect(limits.olderThan({ ...young, metadata: youngest })).toBe(1);
  });
});
