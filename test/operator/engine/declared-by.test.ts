import { describe, expect, test } from "vitest";
import { declaredBy } from "../../../operator/engine/declared-by.ts";

const named = (more: object) => ({ metadata: { name: "web", ...more } });
const owner = { apiVersion: "example.dev/v1", kind: "Nightly", name: "shop", uid: "u" };

describe("declaredBy()", () => {
  test.for([
    { what: "nothing", more: {} },
    { what: "labels and annotations of a user", more: { labels: { team: "a" }, annotations: { note: "b" } } },
    { what: "our name", more: { labels: { "app.kubernetes.io/managed-by": "fairlead" } } },
  ])("finds none in $what", ({ more }) => {
    expect(declaredBy(named(more))).toBeUndefined();
  });

  test.for([
    { owner: "Nightly.example.dev shop", more: { ownerReferences: [owner] } },
    {
      owner: "ConfigMap shop",
      more: { ownerReferences: [{ ...owner, apiVersion: "v1", kind: "ConfigMap" }] },
    },
    {
      owner: "releases.fairlead.dev/shop/web",
      more: {
        labels: { "fairlead.dev/set": "abc" },
        annotations: { "fairlead.dev/owner": "releases.fairlead.dev/shop/web" },
      },
    },
    { owner: "another resource (fairlead.dev/set: abc)", more: { labels: { "fairlead.dev/set": "abc" } } },
    {
      owner: "an ApplySet (applyset.kubernetes.io/part-of: abc)",
      more: { labels: { "applyset.kubernetes.io/part-of": "abc" } },
    },
    {
      owner: "a Kustomization of Flux (kustomize.toolkit.fluxcd.io/name: shop)",
      more: { labels: { "kustomize.toolkit.fluxcd.io/name": "shop" } },
    },
    {
      owner: "Argo CD (argocd.argoproj.io/tracking-id: shop:/a)",
      more: { annotations: { "argocd.argoproj.io/tracking-id": "shop:/a" } },
    },
    {
      owner: "Helm (meta.helm.sh/release-name: shop)",
      more: { annotations: { "meta.helm.sh/release-name": "shop" } },
    },
    { owner: "somebody-else", more: { labels: { "app.kubernetes.io/managed-by": "somebody-else" } } },
  ])("recognizes $owner", ({ owner: expected, more }) => {
    expect(declaredBy(named(more))).toBe(expected);
  });
});
