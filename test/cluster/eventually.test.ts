import { describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";

describe("eventually()", () => {
  test("returns the first answer, also a zero", async () => {
    const answers = [undefined, false, null, 0, 1];
    expect(await eventually(() => answers.shift(), { what: "an answer", intervalMs: 1 })).toBe(0);
  });

  test("reports the expected and the actual result", async () => {
    const wait = { what: "the Deployment is Ready", timeoutMs: 5, intervalMs: 1 };
    await expect(eventually(() => false, wait)).rejects.toThrow(
      "Not within 0.005 s: the Deployment is Ready. The last check returned: false",
    );
    const check = () => Promise.reject(new Error("not found"));
    await expect(eventually(check, wait)).rejects.toThrow("The last check threw: not found");
  });
});
