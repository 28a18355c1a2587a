import { describe, expect, test } from "vitest";
import type { StageDifference } from "../../../../crds/stage-differences.ts";
import { comparableFields } from "../../../../operator/desire/release/comparable-fields.ts";
import { comparableDigestOf } from "../../../../operator/desire/release/compare-manifests.ts";
import type { Manifest } from "../../../../synth/manifest.ts";
import { aDesiredSet } from "../../../fakes/plans.ts";
import { aSourceManifest } from "../../../fakes/releases.ts";

const digestOf = (
  manifests: readonly Manifest[],
  differences: readonly StageDifference[] = [],
  home = "shop",
): string => comparableDigestOf(comparableFields(aDesiredSet(manifests), { home, differences }));

const web = (spec: object, name = "web") =>
  aSourceManifest("apps/v1", "Deployment", name, { fields: { spec } });
const replicas: StageDifference = { kind: "Deployment", fields: ["spec.replicas"] };

describe("the comparable digest", () => {
  test.for<{
    readonly does: string;
    readonly ours: readonly Manifest[];
    readonly theirs: readonly Manifest[];
    readonly differences?: readonly StageDifference[];
  }>([
    {
      does: "a declared field",
      ours: [web({ replicas: 1 })],
      theirs: [web({ replicas: 2 })],
      differences: [replicas],
    },
    {
      does: "a declared field that only one has, also if it is the only field",
      ours: [web({ replicas: 1 })],
      theirs: [aSourceManifest("apps/v1", "Deployment", "web")],
      differences: [replicas],
    },
    {
      does: "a declared field that leaves an empty parent",
      ours: [web({ replicas: 1 })],
      theirs: [web({})],
      differences: [replicas],
    },
    {
      does: "fields below a declared field",
      ours: [web({ template: { spec: { a: 1 } } })],
      theirs: [web({ template: { spec: { b: [2] } } })],
      differences: [{ fields: ["spec.template"] }],
    },
    {
      does: "a field of every item of a list",
      ours: [
        web({
          c: [
            { name: "a", image: "x" },
            { name: "b", image: "y" },
          ],
        }),
      ],
      theirs: [
        web({
          c: [
            { name: "a", image: "1" },
            { name: "b", image: "2" },
          ],
        }),
      ],
      differences: [{ name: "w*", fields: ["spec.c[*].image"] }],
    },
    {
      does: "a name in quotes",
      ours: [aSourceManifest("v1", "ConfigMap", "web", { fields: { data: { "app.json": "1" } } })],
      theirs: [aSourceManifest("v1", "ConfigMap", "web", { fields: { data: { "app.json": "2" } } })],
      differences: [{ fields: ['data["app.json"]'] }],
    },
    {
      does: "whole objects, also missing ones",
      ours: [web({}), aSourceManifest("v1", "ConfigMap", "flags")],
      theirs: [web({})],
      differences: [{ kind: "ConfigMap" }],
    },
    {
      does: "declared names, in which case objects are paired by their order",
      ours: [web({ a: 1 }, "eu-a"), web({ a: 2 }, "eu-b")],
      theirs: [web({ a: 1 }, "us-a"), web({ a: 2 }, "us-b")],
      differences: [{ kind: "Deployment", fields: ["metadata.name"] }],
    },
    {
      does: "the labels of a target if they are declared",
      ours: [aSourceManifest("v1", "ConfigMap", "web", { labels: { env: "prod" } })],
      theirs: [aSourceManifest("v1", "ConfigMap", "web", { labels: { env: "staging" } })],
      differences: [{ fields: ["metadata.labels.env"] }],
    },
    {
      does: "fields that the operator adds",
      ours: [aSourceManifest("v1", "ConfigMap", "web", { labels: { "fairlead.dev/set": "a" } })],
      theirs: [aSourceManifest("v1", "ConfigMap", "web", { labels: { "fairlead.dev/set": "b" } })],
    },
  ])("ignores $does", ({ ours, theirs, differences = [] }) => {
    expect(digestOf(ours, differences)).toBe(digestOf(theirs, differences));
    if (differences.length > 0) expect(digestOf(ours)).not.toBe(digestOf(theirs));
  });

  test.for<{
    readonly does: string;
    readonly ours: readonly Manifest[];
    readonly theirs: readonly Manifest[];
    readonly differences?: readonly StageDifference[];
  }>([
    { does: "a field", ours: [web({ a: 1 })], theirs: [web({ a: 2 })], differences: [replicas] },
    { does: "an empty field", ours: [web({ a: {} })], theirs: [web({})] },
    {
      does: "the field of another kind",
      ours: [aSourceManifest("apps/v1", "StatefulSet", "web", { fields: { spec: { replicas: 1 } } })],
      theirs: [aSourceManifest("apps/v1", "StatefulSet", "web", { fields: { spec: { replicas: 2 } } })],
      differences: [replicas],
    },
    {
      does: "the field of an object of another name",
      ours: [web({ replicas: 1 })],
      theirs: [web({ replicas: 2 })],
      differences: [{ name: "api*", fields: ["spec.replicas"] }],
    },
    {
      does: "another item of a list",
      ours: [web({ c: [1, 2] })],
      theirs: [web({ c: [1, 3] })],
      differences: [{ fields: ["spec.c[0]"] }],
    },
    { does: "an object that only one has", ours: [web({})], theirs: [web({}), web({}, "api")] },
    { does: "a namespace other than that of the Release", ours: [in_("other")], theirs: [in_("shop")] },
    { does: "another apiVersion", ours: [web({})], theirs: [{ ...web({}), apiVersion: "apps/v2" }] },
    { does: "the value of a Secret", ours: [secret("a")], theirs: [secret("b")] },
    {
      does: "two swapped values",
      ours: [web({ a: 1, b: 2 })],
      theirs: [web({ a: 2, b: 1 })],
    },
  ])("shows $does", ({ ours, theirs, differences = [] }) => {
    expect(digestOf(ours, differences)).not.toBe(digestOf(theirs, differences));
  });

  test("is the same in every namespace, also if a field contains the namespace", () => {
    const objects = (home: string) => [
      aSourceManifest("v1", "Namespace", home, { labels: { "kubernetes.io/metadata.name": home } }),
      aSourceManifest("rbac.authorization.k8s.io/v1", "RoleBinding", "web", {
        namespace: home,
        fields: { subjects: [{ kind: "ServiceAccount", name: "web", namespace: home }] },
      }),
    ];
    expect(digestOf(objects("staging"), [], "staging")).toBe(digestOf(objects("prod"), [], "prod"));
    expect(digestOf(objects("staging"), [], "staging")).not.toBe(digestOf(objects("other"), [], "prod"));
    // A value that is the name of the namespace by chance.
    const stage = (home: string) => [
      aSourceManifest("v1", "ConfigMap", "web", { fields: { data: { mode: home } } }),
    ];
    expect(digestOf(stage("staging"), [], "staging")).not.toBe(digestOf(stage("prod"), [], "prod"));
  });

  test("compares an object with very many fields as a whole", () => {
    const list = (first: number) => web({ replicas: first, a: Array.from({ length: 20_000 }, () => 0) });
    expect(comparableFields(aDesiredSet([list(1)]), { home: "shop", differences: [] })).toHaveLength(2);
    expect(digestOf([list(1)])).toBe(digestOf([list(1)]));
    expect(digestOf([list(1)], [replicas])).not.toBe(digestOf([list(2)], [replicas]));
    expect(digestOf([list(1)], [{ kind: "Deployment" }])).toBe(digestOf([list(2)], [{ kind: "Deployment" }]));
    // What is left out does not count.
    const left = [{ fields: ["spec.a", "spec.replicas"] }];
    expect(digestOf([list(1)], left)).toBe(digestOf([list(2)], left));
  });

  test("leaves out a namespace that the target creates", () => {
    const [namespace] = aDesiredSet([aSourceManifest("v1", "Namespace", "shop")]).objects;
    expect(namespace).toBeDefined();
    const objects = namespace === undefined ? [] : [{ ...namespace, isEnsured: true }];
    expect(comparableFields({ objects }, { home: "shop", differences: [] })).toEqual([]);
  });
});

function in_(namespace: string): Manifest {
  return aSourceManifest("v1", "ConfigMap", "web", { namespace });
}

function secret(password: string): Manifest {
  return aSourceManifest("v1", "Secret", "db", { fields: { stringData: { password } } });
}
