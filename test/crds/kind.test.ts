import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { Condition } from "../../crds/conditions.ts";
import type { EasyService } from "../../crds/easy-service.ts";
import type { Echo } from "../../crds/echo.ts";
import {
  defineKind,
  type KindVersionInput,
  type ResourceOf,
  type SpecOf,
  type StatusOf,
} from "../../crds/kind.ts";
import type { Memcached } from "../../crds/memcached.ts";
import type { CustomResource } from "../../crds/object.ts";
import type { Published } from "../../crds/status.ts";

const names = { group: "example.dev", kind: "WebApp", plural: "webapps", description: "A web app." };
const spec = z.object({ image: z.string() });

const TwoVersions = defineKind({
  ...names,
  versions: [
    {
      name: "v1alpha1",
      spec: z.object({ image: z.string().optional() }),
      status: z.object({ url: z.string().optional() }),
      storage: false,
    },
    { name: "v1", spec, status: z.object({ url: z.string() }), storage: true },
  ],
});

describe("defineKind()", () => {
  test("fills in defaults", () => {
    const WebApp = defineKind({ ...names, versions: [{ name: "v1", spec }] });
    expect(WebApp).toMatchObject({
      ...names,
      version: "v1",
      singular: "webapp",
      shortNames: [],
      namespaced: true,
    });
    expect(WebApp.versions).toMatchObject([{ name: "v1", served: true, storage: true }]);
    expect(WebApp).not.toHaveProperty("scale");
  });

  test("passes the storage version to charts", () => {
    expect(TwoVersions.version).toBe("v1");
    expect(Object.keys(TwoVersions.spec.shape)).toEqual(["image"]);
    expect(TwoVersions.versions.map(({ storage }) => storage)).toEqual([false, true]);
  });

  test("adds the engine's fields to the status of every version", () => {
    for (const { status } of TwoVersions.versions) {
      expect(Object.keys(status.shape)).toEqual(
        expect.arrayContaining(["conditions", "observedGeneration", "published"]),
      );
    }
    expect(Object.keys(TwoVersions.status.shape)).toContain("url");
  });

  test("lets a kind extend the conditions", () => {
    const conditions = z.array(z.object({ type: z.string(), probe: z.string() }));
    const Probed = defineKind({
      ...names,
      versions: [{ name: "v1", spec, status: z.object({ conditions }) }],
    });
    expect(Probed.status.shape.conditions).toBe(conditions);
    expectTypeOf<StatusOf<typeof Probed>["conditions"]>().toEqualTypeOf<{ type: string; probe: string }[]>();
  });

  test("ends with READY, STATUS and AGE", () => {
    const column = { name: "Image", type: "string", jsonPath: ".spec.image" } as const;
    const WebApp = defineKind({ ...names, versions: [{ name: "v1", spec }], columns: [column] });
    expect(WebApp.columns.map(({ name }) => name)).toEqual(["Image", "Ready", "Status", "Age"]);
    const message = { name: "Message", type: "string", jsonPath: ".status.conditions[0].message" } as const;
    const WebJob = defineKind({
      ...names,
      versions: [{ name: "v1", spec }],
      columns: [column],
      lastColumns: [message],
    });
    expect(WebJob.columns.map(({ name }) => name)).toEqual(["Image", "Ready", "Status", "Age", "Message"]);
  });

  const published = z.object({ published: z.string() });
  test.for<{ what: string; versions: [KindVersionInput, ...KindVersionInput[]]; says: string }>([
    { what: "no storage version", versions: [{ name: "v1", spec, storage: false }], says: "found none" },
    {
      what: "versions of which none is chosen",
      versions: [
        { name: "v1", spec },
        { name: "v2", spec },
      ],
      says: "found none",
    },
    {
      what: "two storage versions",
      versions: [
        { name: "v1", spec, storage: true },
        { name: "v2", spec, storage: true },
      ],
      says: "found v1, v2",
    },
    {
      what: "a storage version that is not served",
      versions: [{ name: "v1", spec, served: false }],
      says: "must be served",
    },
    {
      what: "one version twice",
      versions: [
        { name: "v1", spec, storage: true },
        { name: "v1", spec },
      ],
      says: "one name",
    },
    {
      what: "a status field of the engine",
      versions: [{ name: "v1", spec, status: published }],
      says: '"published"',
    },
  ])("refuses $what", ({ versions, says }) => {
    expect(() => defineKind({ ...names, versions })).toThrow(RangeError);
    expect(() => defineKind({ ...names, versions })).toThrow(says);
  });
});

describe("the types of a kind", () => {
  test("come from its storage version", () => {
    expectTypeOf<SpecOf<typeof TwoVersions>>().toEqualTypeOf<{ image: string }>();
    expectTypeOf<StatusOf<typeof TwoVersions>["url"]>().toEqualTypeOf<string>();
    expectTypeOf<SpecOf<typeof Echo>>().toEqualTypeOf<{ message: string }>();
    expectTypeOf<ResourceOf<typeof Echo>>().toEqualTypeOf<
      CustomResource<SpecOf<typeof Echo>, StatusOf<typeof Echo>>
    >();
  });

  test("have the engine's status fields", () => {
    expectTypeOf<StatusOf<typeof Memcached>>().toEqualTypeOf<{
      nodes: string[];
      conditions?: Condition[] | undefined;
      observedGeneration?: number | undefined;
      appliedGeneration?: number | undefined;
      published?: Published | undefined;
    }>();
  });

  test("include the fields of an embedded core type that a chart reads, and keep the rest", () => {
    type Port = NonNullable<SpecOf<typeof EasyService>["ports"]>[number];
    expectTypeOf<Port["port"]>().toEqualTypeOf<number>();
    expectTypeOf<Port["protocol"]>().toEqualTypeOf<"TCP" | "UDP" | "SCTP">();
    expectTypeOf<Port["targetPort"]>().toEqualTypeOf<string | number | undefined>();
    expectTypeOf<Port["somethingNew"]>().toEqualTypeOf<unknown>();
  });
});
