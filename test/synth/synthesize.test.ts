import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { ChartProps } from "../../crds/binding.ts";
import { ConfigMap, Pod } from "../../crds/core-kinds.ts";
import { InvalidFieldError } from "../../crds/invalid-field-error.ts";
import type { CustomResource } from "../../crds/object.ts";
import { idOf } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { SynthesisError } from "../../synth/synthesis-error.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { anAddingKind, aSoughtPod } from "../fakes/adding-kind.ts";
import { aConfigMap, aGadgetKind } from "../fakes/gadget.ts";
import { observe } from "../fakes/observed.ts";
import { aPinningKind, aSoughtRelease } from "../fakes/pinning-kind.ts";
import { aResource, type ResourceOptions } from "../fakes/resources.ts";

const nothing = observe();
const gadgets = aGadgetKind();
const aGadget = (objects: readonly object[], options: ResourceOptions = {}) =>
  aResource(gadgets, { spec: { objects }, ...options });
const run = (objects: readonly object[], options?: ResourceOptions) =>
  synthesize(gadgets, aGadget(objects, options), nothing);

function failureOf(act: () => unknown): SynthesisError {
  try {
    act();
  } catch (error) {
    if (error instanceof SynthesisError) return error;
    throw error;
  }
  throw new Error("expected a SynthesisError");
}

describe("synthesize()", () => {
  test("stamps objects, sets the owner's namespace and orders them for apply", () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "b", namespace: "other" } };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
    const { manifests, set } = run([secret, aConfigMap("a"), namespace]);
    expect(manifests.map(idOf)).toEqual(["/Namespace//n", "/Secret/other/b", "/ConfigMap/shop/a"]);
    for (const { metadata } of manifests) expect(metadata.labels?.["fairlead.dev/set"]).toBe(set);
  });

  test("returns additions to objects of others separately, without stamps, with a field manager of the resource", () => {
    const kind = anAddingKind();
    const resource = aResource(kind, { spec: { objects: [aConfigMap("a")] } });
    const { manifests, additions, digest } = synthesize(
      kind,
      resource,
      observe(aSoughtPod("b"), aSoughtPod("a")),
    );
    expect(manifests.map(idOf)).toEqual(["/ConfigMap/shop/a"]);
    expect(digest).toBe(synthesize(kind, resource, nothing).digest);
    const fieldManager = "fairlead/gadgets.example.dev/shop/web";
    const shell = { spec: { ephemeralContainers: [{ name: "shell", image: "busybox" }] } };
    const pod = { apiVersion: "v1", kind: "Pod", ...shell };
    expect(additions).toEqual(
      ["a", "b"].map((name) => ({
        manifest: { ...pod, metadata: { name, namespace: "shop" } },
        kind: Pod,
        selector: undefined,
        subresource: "ephemeralcontainers",
        fieldManager,
      })),
    );
  });

  test("returns the fields that it sets in objects of others, with only the name of the object", () => {
    const kind = aPinningKind();
    const resource = aResource(kind, { annotations: { pin: "one" } });
    expect(synthesize(kind, resource, observe(aSoughtRelease("a")))).toMatchObject({
      manifests: [],
      additions: [
        {
          manifest: {
            apiVersion: "fairlead.dev/v1alpha1",
            kind: "Release",
            metadata: { name: "a", namespace: "shop" },
            spec: { revision: "one" },
          },
          fields: ["spec.revision"],
          fieldManager: "fairlead/gadgets.example.dev/shop/web",
        },
      ],
    });
    // A chart without such fields sets none.
    expect(synthesize(kind, aResource(kind), observe(aSoughtRelease("a"))).additions).toEqual([]);
  });

  test("uses a shorter field manager for long names: the API server accepts 128 characters", () => {
    const kind = anAddingKind();
    const resource = aResource(kind, { name: "x".repeat(253) });
    const [{ fieldManager } = { fieldManager: "" }] = synthesize(
      kind,
      resource,
      observe(aSoughtPod("a")),
    ).additions;
    expect(fieldManager).toBe(`fairlead/${setOf(kind.definition, resource)}`);
    expect(fieldManager.length).toBeLessThanOrEqual(128);
  });

  test("passes no fields to a chart that change by themselves: results are in other objects", () => {
    const seen: unknown[] = [];
    class Curious extends Chart {
      constructor(scope: Construct, id: string, { resource }: ChartProps<CustomResource>) {
        super(scope, id);
        seen.push(resource);
        // @ts-expect-error The types say so, too.
        seen.push(resource.status);
      }
    }
    const resource = aResource(gadgets, { labels: { a: "b" }, spec: { size: 2, objects: [] } });
    const { apiVersion, kind, metadata } = resource;
    const now = { ...metadata, resourceVersion: "7", finalizers: ["a.dev/b"] };
    synthesize(aGadgetKind({ chart: Curious }), { ...resource, metadata: now, status: { size: 1 } }, nothing);
    const { resourceVersion: _, ...asked } = metadata;
    expect(seen).toEqual([{ apiVersion, kind, metadata: asked, spec: { size: 2, objects: [] } }, undefined]);
  });

  test("is deterministic, for any order of keys", () => {
    const [a, b] = [
      run([aConfigMap("a", { data: { x: "1", y: "2" } })]),
      run([{ data: { y: "2", x: "1" }, ...aConfigMap("a") }]),
    ];
    expect(b).toEqual(a);
  });

  test("has a digest that depends on every object and no stamp", () => {
    const digests = [
      run([aConfigMap("a")]),
      run([aConfigMap("a", { data: { x: "1" } })]),
      run([aConfigMap("b")]),
      run([aConfigMap("a"), aConfigMap("b")]),
      run([]),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(run([aConfigMap("a")], { generation: 9 }).digest).toBe(digests[0]);
  });

  test("adds the schema's defaults before the chart runs", () => {
    class Sized extends Chart {
      constructor(
        scope: Construct,
        id: string,
        { resource }: ChartProps<{ readonly spec: { readonly size: number } }>,
      ) {
        super(scope, id);
        new ApiObject(this, "a", aConfigMap("a", { data: { size: String(resource.spec.size) } }));
      }
    }
    const kind = aGadgetKind({ chart: Sized });
    expect(synthesize(kind, aResource(kind), nothing).manifests[0]).toMatchObject({ data: { size: "1" } });
  });
});

describe("synthesize() refuses", () => {
  test.for([
    { what: "no spec", spec: undefined, field: "spec", reason: /expected an object/ },
    {
      what: "a wrong type",
      spec: { size: "3" },
      field: "spec.size",
      reason: /expected int, received string|expected number, received string/,
    },
    { what: "a value out of bounds", spec: { size: -1 }, field: "spec.size", reason: />=0/ },
    {
      what: "a wrong list entry",
      spec: { objects: [{ kind: "A" }] },
      field: "spec.objects[0].apiVersion",
      reason: /string/,
    },
    {
      what: "two errors, one of which is reported",
      spec: { size: -1, objects: 3 },
      field: "spec.objects",
      reason: /\(and 1 more\)/,
    },
  ])("$what, with the field's path", ({ spec, field, reason }) => {
    const error = failureOf(() => synthesize(gadgets, { ...aResource(gadgets), spec }, nothing));
    expect(error).toMatchObject({ field, reason: expect.stringMatching(reason) });
    expect(error.message).toContain(`Cannot synthesize "Gadget shop/web": ${field}: `);
  });

  test("two objects with one id", () => {
    const twin = aConfigMap("a", { metadata: { name: "a", namespace: "shop" } });
    expect(failureOf(() => run([aConfigMap("a"), twin])).reason).toBe(
      'its chart makes "/ConfigMap/shop/a" twice',
    );
  });

  test("a kind that is not a child kind of the binding", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    expect(failureOf(() => run([pod])).reason).toMatch(/makes a Pod \(v1\), which is no child kind/);
    const map = { ...aConfigMap("a"), apiVersion: "example.dev/v1" };
    expect(failureOf(() => run([map])).reason).toMatch(/ConfigMap \(example.dev\/v1\)/);
  });

  test("a field of an object of others that the kind may not set", () => {
    const kind = aPinningKind();
    const release = { apiVersion: "fairlead.dev/v1alpha1", kind: "Release", metadata: { name: "a" } };
    const resource = aResource(kind, { spec: { objects: [{ ...release, spec: { suspend: true } }] } });
    expect(failureOf(() => synthesize(kind, resource, nothing)).message).toBe(
      'Cannot synthesize "Gadget shop/web": its chart sets spec.suspend of Release "a", which it does not own; it may ' +
        "set only spec.revision and spec.next",
    );
  });

  test("a namespaced object without a namespace", () => {
    expect(failureOf(() => run([aConfigMap("a")], { namespace: null })).reason).toMatch(/no namespace/);
  });

  test("an error of a chart, with the field that it names", () => {
    class Refusing extends Chart {
      constructor(scope: Construct, id: string) {
        super(scope, id);
        throw new InvalidFieldError("spec.ports[1]", "is taken");
      }
    }
    const kind = aGadgetKind({ chart: Refusing, children: [ConfigMap] });
    const error = failureOf(() => synthesize(kind, aResource(kind), nothing));
    expect(error).toMatchObject({ field: "spec.ports[1]", reason: "is taken" });
    expect(error.cause).toBeInstanceOf(InvalidFieldError);
  });
});
