import { describe, expect, test } from "vitest";
import { hideSecretValues } from "../../../operator/cluster/secret-values.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const aSecret = (content: object) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "web", namespace: "shop" },
  ...content,
});
const aRefusal = (message: string) => ({
  status: 422,
  body: JSON.stringify({ message }),
  retryAfterMs: undefined,
});

describe("hideSecretValues()", () => {
  test.for([
    { what: "a text", content: { stringData: { a: "hunter2" } }, says: "got hunter2" },
    { what: "a text in base64", content: { stringData: { a: "hunter2" } }, says: `got ${base64("hunter2")}` },
    {
      what: "data as it was sent",
      content: { data: { a: base64("hunter2") } },
      says: `got ${base64("hunter2")}`,
    },
    { what: "decoded data", content: { data: { a: base64("hunter2") } }, says: "got hunter2" },
    {
      what: "a nested value",
      content: { stringData: { a: { b: ["hunter2"] } } },
      says: "got map[b:[hunter2]]",
    },
    {
      what: "a quoted value",
      content: { stringData: { a: 'hunter"2\\n' } },
      says: `got ${JSON.stringify('hunter"2\\n')}`,
    },
  ])("hides $what", ({ content, says }) => {
    const { status, body } = hideSecretValues(aRefusal(says), aSecret(content));
    expect(status).toBe(422);
    expect(body).toContain("***");
    expect(body).not.toMatch(/hunter|aHVudGVyMg/);
    expect(() => JSON.parse(body)).not.toThrow();
  });

  test("does not change other rejections, and values that are too short to be secret", () => {
    const refusal = aRefusal("a: must not be hunter2");
    expect(hideSecretValues(refusal, { ...aSecret({ data: { a: "hunter2" } }), kind: "ConfigMap" })).toEqual(
      refusal,
    );
    expect(hideSecretValues(refusal, aSecret({ stringData: { a: "a" } }))).toEqual(refusal);
  });

  test("shows no message about a Secret with more values than can be searched", () => {
    // Searching them takes minutes, and the test runner aborts after 20 seconds.
    const data = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, `value-${index}`]),
    );
    const refusal = {
      ...aRefusal(""),
      body: JSON.stringify({ reason: "Invalid", message: "value-1 ".repeat(100_000) }),
    };
    const { status, body } = hideSecretValues(refusal, aSecret({ stringData: data }));
    expect(status).toBe(422);
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", code: 422, reason: "Invalid" });
    expect(body).not.toContain("value-");
  });
});
