import { describe, expect, test } from "vitest";
import * as z from "zod";
import { toStructural } from "../../../crds/structural.ts";
import { metadata } from "../../../operator/engine/field-shape.ts";
import { shapeOfResource, shapeOfSchema } from "../../../operator/engine/schema-shape.ts";

const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"] };
const set = { "x-kubernetes-list-type": "set" };
const atomic = { "x-kubernetes-map-type": "atomic" };

interface Case {
  readonly of: string;
  readonly schema: z.ZodType;
  readonly shape: object;
}

describe("shapeOfSchema()", () => {
  test.for<Case>([
    { of: "a plain value", schema: z.string(), shape: {} },
    { of: "a struct of plain values", schema: z.object({ a: z.string(), b: z.int() }), shape: {} },
    { of: "a map of plain values", schema: z.record(z.string(), z.string()), shape: {} },
    { of: "a list without a type", schema: z.array(z.string()), shape: {} },
    { of: "any value", schema: z.unknown(), shape: {} },
    { of: "a struct that keeps unknown fields", schema: z.looseObject({ a: z.string() }), shape: {} },
    {
      of: "a list of type map",
      schema: z.array(z.object({ name: z.string(), port: z.int().default(80) })).meta(keyed),
      shape: { keys: ["name", "port"], each: { defaults: { port: 80 } }, ordered: true },
    },
    { of: "a set of plain values", schema: z.array(z.string()).meta(set), shape: { set: true } },
    {
      of: "a set of integers or strings",
      schema: z.array(z.union([z.int(), z.string()])).meta(set),
      shape: { set: true },
    },
    {
      of: "a set of structs, which is compared as a whole",
      schema: z.array(z.object({ a: z.string().default("b") }).meta(atomic)).meta(set),
      shape: { each: { atomic: true, defaults: { a: "b" } } },
    },
    { of: "an atomic map", schema: z.record(z.string(), z.string()).meta(atomic), shape: { atomic: true } },
    {
      of: "an atomic struct",
      schema: z.object({ a: z.string(), b: z.object({ c: z.int().default(1) }).optional() }).meta(atomic),
      shape: { atomic: true, fields: { b: { defaults: { c: 1 } } } },
    },
    {
      of: "items of an atomic list, because of their defaults",
      schema: z.array(z.object({ name: z.string(), mode: z.string().default("all") })),
      shape: { each: { defaults: { mode: "all" } } },
    },
    {
      of: "the values of a map",
      schema: z.record(z.string(), z.object({ hosts: z.array(z.string()).meta(set) })),
      shape: { each: { fields: { hosts: { set: true } } } },
    },
    {
      of: "an optional field with a default that has defaults",
      schema: z.object({ pass: z.object({ soak: z.string().default("1m") }).prefault({}) }),
      shape: { fields: { pass: { defaults: { soak: "1m" } } }, defaults: { pass: {} } },
    },
    {
      of: "all variants of a union",
      schema: z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), hosts: z.array(z.string()).meta(set).optional() }),
        z.object({ type: z.literal("b"), labels: z.record(z.string(), z.string()).meta(atomic).optional() }),
      ]),
      shape: { fields: { hosts: { set: true }, labels: { atomic: true } } },
    },
    {
      of: "an embedded object",
      schema: z.looseObject({}).meta({ "x-kubernetes-embedded-resource": true }),
      shape: { fields: { metadata } },
    },
    {
      of: "fields with names of Object's own",
      schema: z.object({ constructor: z.array(z.string()).meta(set), a: z.string() }),
      shape: { fields: { constructor: { set: true } } },
    },
  ])("returns the shape of $of", ({ schema, shape }) => {
    expect(shapeOfSchema(toStructural(schema, "spec"))).toEqual(shape);
  });
});

describe("shapeOfResource()", () => {
  test("has the metadata of Kubernetes, and the fields of the schema", () => {
    const spec = toStructural(z.object({ hosts: z.array(z.string()).meta(set) }), "spec");
    expect(shapeOfResource({ type: "object", properties: { metadata: { type: "object" }, spec } })).toEqual({
      fields: { metadata, spec: { fields: { hosts: { set: true } } } },
    });
  });
});
