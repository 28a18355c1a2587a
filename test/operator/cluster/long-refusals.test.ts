import { describe, expect, test } from "vitest";
import { toOperatorError } from "../../../operator/cluster/api-errors.ts";

const attempt = { verb: "apply", id: "apps/Deployment/shop/web", namespace: "shop" } as const;

function refusal(status: number, message: string, details?: object) {
  return {
    status,
    body: JSON.stringify({ kind: "Status", code: status, message, details }),
    retryAfterMs: undefined,
  };
}

describe("toOperatorError() with a text that a tenant controls", () => {
  // Quadratic patterns take minutes for these messages, and the test runner aborts after 20 seconds.
  test.for([
    { what: "users", code: 403, message: 'User "'.repeat(200_000) },
    { what: "parser errors", code: 500, message: "failed to create typed patch object (".repeat(40_000) },
    { what: "colons", code: 422, message: `Invalid value: ${": a".repeat(400_000)}:` },
  ])("reads a message of a megabyte with many $what in linear time", ({ code, message }) => {
    const details = { causes: Array.from({ length: 3 }, () => ({ field: "a", message })) };
    for (const answer of [refusal(code, message), refusal(code, message, details)])
      expect(toOperatorError(answer, attempt).message.length).toBeLessThan(1_200);
  });

  test("keeps the reason after a value of a megabyte", () => {
    const message = `Invalid value: "${"x".repeat(1_000_000)}": must be short`;
    const answer = refusal(422, "is invalid", { causes: [{ field: "spec.a", message }] });
    expect(toOperatorError(answer, attempt).message).toContain("spec.a: must be short");
  });
});
