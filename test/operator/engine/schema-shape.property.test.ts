import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StructuralSchema } from "../../../crds/structural-schema.ts";
import { findDrift } from "../../../operator/engine/covers.ts";
import { shapeOfResource } from "../../../operator/engine/schema-shape.ts";

/** A field of a custom resource: its schema, and what an apply owns of it. */
interface Field {
  readonly schema: StructuralSchema;
  readonly desired: unknown;
  /** Its live values that no apply would change. `isWhole`: it is inside an atomic value. */
  readonly same: (isWhole: boolean) => unknown;
  /** Live values, each with one addition that an apply removes. */
  readonly different: (isWhole: boolean) => readonly unknown[];
}

const plain: Field = {
  schema: { type: "string" },
  desired: "ours",
  same: () => "ours",
  different: () => ["theirs"],
};

/** A struct of one field, with a default that the manifest does not have, and a field that others may set. */
function struct(field: Field, isAtomic: boolean): Field {
  const { schema, desired } = field;
  const filledIn = { inner: { value: 1 } };
  const inside = (isWhole: boolean) => isWhole || isAtomic;
  const make = (value: unknown, more: object = {}) => ({ field: value, preset: filledIn, ...more });
  return {
    schema: {
      type: "object",
      properties: {
        field: schema,
        preset: {
          type: "object",
          default: {},
          properties: {
            inner: { type: "object", default: {}, properties: { value: { type: "integer", default: 1 } } },
          },
        },
        other: { type: "string" },
      },
      ...(isAtomic && { "x-kubernetes-map-type": "atomic" }),
    },
    desired: { field: desired },
    same: (isWhole) => make(field.same(inside(isWhole)), inside(isWhole) ? {} : { other: "theirs" }),
    different: (isWhole) => [
      ...field.different(inside(isWhole)).map((value) => make(value)),
      ...(inside(isWhole)
        ? [make(desired, { other: "theirs" }), { field: desired, preset: { inner: { value: 2 } } }]
        : []),
    ],
  };
}

/** A map with one key of ours. */
function map({ schema, desired, ...field }: Field, isAtomic: boolean): Field {
  const inside = (isWhole: boolean) => isWhole || isAtomic;
  return {
    schema: {
      type: "object",
      additionalProperties: schema,
      ...(isAtomic && { "x-kubernetes-map-type": "atomic" }),
    },
    desired: { ours: desired },
    same: (isWhole) => ({ ours: field.same(inside(isWhole)), ...(!inside(isWhole) && { theirs: desired }) }),
    different: (isWhole) => [
      ...field.different(inside(isWhole)).map((value) => ({ ours: value })),
      ...(inside(isWhole) ? [{ ours: desired, theirs: desired }] : []),
    ],
  };
}

/** A list of one value of ours, that merges by keys, as a set, or not at all. */
function list(any: Field, type: "map" | "set" | "atomic"): Field {
  const field = type === "set" ? plain : any;
  const item = (value: unknown, key: string) => (type === "map" ? { key, value } : value);
  const inside = (isWhole: boolean) => isWhole || type === "atomic";
  const ours = item(field.desired, "ours");
  const theirs = type === "set" ? "theirs" : item(field.desired, "theirs");
  const items: StructuralSchema =
    type === "map"
      ? { type: "object", properties: { key: { type: "string" }, value: field.schema } }
      : field.schema;
  return {
    schema: {
      type: "array",
      items,
      "x-kubernetes-list-type": type,
      ...(type === "map" && { "x-kubernetes-list-map-keys": ["key"] }),
    },
    desired: [ours],
    same: (isWhole) => [...(inside(isWhole) ? [] : [theirs]), item(field.same(inside(isWhole)), "ours")],
    different: (isWhole) => [
      ...field.different(inside(isWhole)).map((value) => [item(value, "ours")]),
      ...(inside(isWhole)
        ? [
            [ours, theirs],
            [theirs, ours],
          ]
        : []),
    ],
  };
}

const { field: anyField } = fc.letrec<{ field: Field }>((tie) => ({
  field: fc.oneof(
    { maxDepth: 4 },
    fc.constant(plain),
    fc.tuple(tie("field"), fc.boolean()).map(([field, isAtomic]) => struct(field, isAtomic)),
    fc.tuple(tie("field"), fc.boolean()).map(([field, isAtomic]) => map(field, isAtomic)),
    fc.tuple(tie("field"), fc.constantFrom("map", "set", "atomic")).map(([field, type]) => list(field, type)),
  ),
}));

describe("shapeOfResource(), for any schema,", () => {
  const object = (spec: unknown) => ({
    apiVersion: "example.dev/v1",
    kind: "Any",
    metadata: { name: "a" },
    spec,
  });
  const driftOf = ({ schema, desired }: Field, live: unknown) => {
    const shape = shapeOfResource({ type: "object", properties: { spec: schema } });
    return findDrift(object(desired), object(live), () => shape);
  };

  test("defaults, and additions that merge, are not drift", () => {
    fc.assert(
      fc.property(anyField, (field) => {
        expect(driftOf(field, field.same(false))).toBeUndefined();
      }),
    );
  });

  test("additions inside atomic values, and other values, are drift", () => {
    fc.assert(
      fc.property(anyField, (field) => {
        for (const live of field.different(false)) expect(driftOf(field, live)).toMatch(/^spec/);
      }),
    );
  });
});
