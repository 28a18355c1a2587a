import { describe, expect, test } from "vitest";
import { healthOf } from "../../../../operator/engine/health/verdict.ts";

describe("healthOf()", () => {
  test("copies status and message", () => {
    const health = healthOf({ status: "Suspended", message: "stopped at night" });
    expect(health).toEqual({ status: "Suspended", reason: "Suspended", message: "stopped at night" });
  });

  test("names the object that the message is about", () => {
    const object = { kind: "Job", metadata: { name: "web-0", namespace: "shop" } };
    const { message } = healthOf({ status: "Failed", message: "3 attempts failed", object });
    expect(message).toBe("Job shop/web-0: 3 attempts failed");
  });
});
