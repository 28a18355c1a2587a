import { describe, expect, test } from "vitest";
import { toOperatorError } from "../../../operator/cluster/api-errors.ts";
import { ObjectRejectedError } from "../../../operator/errors.ts";

const attempt = { verb: "apply", namespace: "shop" } as const;

function refusal(status: number, message: string, details?: object) {
  const body = JSON.stringify({ kind: "Status", code: status, reason: "", message, details });
  return { status, body, retryAfterMs: undefined };
}

function invalid(...causes: readonly { readonly field: string; readonly message: string }[]) {
  return refusal(422, "is invalid", { causes });
}

describe("a rejection by a schema", () => {
  const notDeclared =
    "failed to create typed patch object (shop/web; example.dev/v1, Kind=Widget): .spec.x: field not declared in schema";
  test.for([
    {
      does: "a missing required field",
      id: "example.dev/Widget/shop/web",
      answer: refusal(500, notDeclared),
      isBySchema: true,
    },
    {
      does: "an unknown field",
      id: "example.dev/Widget/shop/web",
      answer: refusal(400, 'strict decoding error: unknown field "spec.x"'),
      isBySchema: true,
    },
    {
      does: "a forbidden value",
      id: "example.dev/Widget/shop/web",
      answer: invalid({ field: "spec.x", message: 'Unsupported value: "b": supported values: "a"' }),
      isBySchema: true,
    },
    {
      does: "an immutable field",
      id: "example.dev/Widget/shop/web",
      answer: invalid({ field: "spec.x", message: "Invalid value: 1: field is immutable" }),
      isBySchema: false,
    },
    {
      does: "an admission policy",
      id: "example.dev/Widget/shop/web",
      answer: refusal(403, "denied by policy"),
      isBySchema: false,
    },
    {
      does: "a built-in kind",
      id: "apps/Deployment/shop/web",
      answer: refusal(500, notDeclared),
      isBySchema: false,
    },
  ])("is detected: $does", ({ id, answer, isBySchema }) => {
    const error = toOperatorError(answer, { ...attempt, id });
    expect(error).toBeInstanceOf(ObjectRejectedError);
    expect(error).toMatchObject({ isBySchema });
  });

  test("a kind that is not served is named", () => {
    const error = toOperatorError(refusal(404, "the server could not find the requested resource"), {
      ...attempt,
      id: "example.dev/Widget/shop/web",
    });
    expect(error).toMatchObject({ unknownKind: "example.dev/Widget" });
  });
});
