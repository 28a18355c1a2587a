import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineKind } from "../../crds/kind.ts";

const names = { group: "example.dev", kind: "WebApp", plural: "webapps", description: "A web app." };
const text = z.string().optional();

/** Why versions `v1alpha1` and `v1`, the storage version, are refused; undefined: they are accepted. */
function refusal(
  alpha: z.ZodObject,
  stored: z.ZodObject,
  {
    served = true,
    status = {},
  }: { served?: boolean; status?: { alpha?: z.ZodObject; stored?: z.ZodObject } } = {},
): string | undefined {
  try {
    defineKind({
      ...names,
      versions: [
        {
          name: "v1alpha1",
          storage: false,
          served,
          spec: alpha,
          ...(status.alpha && { status: status.alpha }),
        },
        { name: "v1", storage: true, spec: stored, ...(status.stored && { status: status.stored }) },
      ],
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}

describe("defineKind() with several versions", () => {
  test("names the field that would be lost, the versions, and what to do", () => {
    expect(refusal(z.object({ image: text }), z.object({ image: text, port: text }))).toBe(
      'Cannot define "WebApp.example.dev": version v1alpha1 cannot hold spec.port of version v1, and resources that pass from ' +
        "v1 to v1alpha1 would lose it without an error; add it to version v1alpha1 as an optional field, or set " +
        "served: false in version v1alpha1",
    );
    expect(refusal(z.object({ picture: text }), z.object({}))).toContain(
      "add it to version v1 as an optional field, or remove version v1alpha1 when no resource is stored in it",
    );
  });

  const lossless: readonly {
    readonly what: string;
    readonly alpha: z.ZodObject;
    readonly stored: z.ZodObject;
  }[] = [
    {
      what: "the same fields",
      alpha: z.object({ a: z.string() }),
      stored: z.object({ a: z.string().min(3) }),
    },
    {
      what: "a field that keeps anything",
      alpha: z.object({ a: z.looseObject({}) }),
      stored: z.object({ a: z.looseObject({ b: text }) }),
    },
    {
      what: "a record of the same values",
      alpha: z.object({ a: z.record(z.string(), z.object({ b: text })) }),
      stored: z.object({ a: z.record(z.string(), z.object({ b: text })) }),
    },
    {
      what: "a number that is an integer",
      alpha: z.object({ a: z.number() }),
      stored: z.object({ a: z.int() }),
    },
  ];
  test.for(lossless)("accepts $what", ({ alpha, stored }) => {
    expect(refusal(alpha, stored)).toBeUndefined();
  });

  test.for([
    {
      what: "inside of a list",
      alpha: z.object({ ports: z.array(z.object({ port: text })) }),
      stored: z.object({ ports: z.array(z.object({ port: text, name: text })) }),
      lost: "spec.ports[].name",
    },
    {
      what: "inside of a record",
      alpha: z.object({ sets: z.record(z.string(), z.object({})) }),
      stored: z.object({ sets: z.record(z.string(), z.object({ name: text })) }),
      lost: "spec.sets.*.name",
    },
    {
      what: "of a record that has named fields there",
      alpha: z.object({ labels: z.object({ app: text }) }),
      stored: z.object({ labels: z.record(z.string(), z.string()) }),
      lost: "spec.labels.*",
    },
    {
      what: "of a loose object",
      alpha: z.object({ more: z.object({ a: text }) }),
      stored: z.object({ more: z.looseObject({ a: text }) }),
      lost: "spec.more.*",
    },
  ])("refuses a field $what", ({ alpha, stored, lost }) => {
    expect(refusal(alpha, stored)).toContain(`cannot hold ${lost} of version v1,`);
  });

  test("refuses a field that has another shape in the other version", () => {
    const [plain, whole] = [z.object({ port: text }), z.object({ port: z.object({ number: z.int() }) })];
    expect(refusal(plain, whole)).toContain("version v1 cannot hold spec.port of version v1alpha1,");
    expect(refusal(whole, plain)).toContain("version v1 cannot hold spec.port of version v1alpha1,");
    expect(refusal(z.object({ port: z.array(text) }), whole)).toContain("cannot hold spec.port of");
  });

  test("also checks the status", () => {
    const status = { stored: z.object({ url: text }) };
    expect(refusal(z.object({}), z.object({}), { status })).toContain(
      "cannot hold status.url of version v1,",
    );
    expect(
      refusal(z.object({}), z.object({}), { status: { ...status, alpha: z.object({ url: text }) } }),
    ).toBeUndefined();
  });

  test("allows a version that is not served to lack fields, because nothing is converted through it", () => {
    const stored = z.object({ image: text, port: text });
    expect(refusal(z.object({ image: text }), stored, { served: false })).toBeUndefined();
    // Resources may be stored in it, and are read by the other one.
    expect(refusal(z.object({ picture: text }), stored, { served: false })).toContain("spec.picture");
  });

  test("names a few of many fields", () => {
    const many = z.object(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, text])));
    expect(refusal(z.object({}), many)).toContain(
      "spec.f0, spec.f1, spec.f2, spec.f3, spec.f4 and 4 more of",
    );
  });
});
