import { describe, expect, test } from "vitest";
import { limitRender } from "../../../../operator/desire/release/limit-render.ts";
import { limitsOf } from "../../../fakes/releases.ts";

describe("limitRender()", () => {
  const render = (timeout: string) => ({ program: { entry: "main.ts", timeout } });
  test.for([
    {
      timeout: "168h",
      rules: [{ quotas: { programSeconds: 60 } }, { quotas: { programSeconds: 30 } }],
      gives: "30s",
    },
    { timeout: "10s", rules: [{ quotas: { programSeconds: 30 } }], gives: "10s" },
    { timeout: "1h", rules: [{}], gives: "1h" },
  ])("limits $timeout to $gives", ({ timeout, rules, gives }) => {
    expect(limitRender(render(timeout), limitsOf(...rules)).program?.timeout).toBe(gives);
  });

  test("does not change the options of manifests", () => {
    const manifests = { manifests: {} };
    expect(limitRender(manifests, limitsOf({ quotas: { programSeconds: 1 } }))).toBe(manifests);
  });
});
