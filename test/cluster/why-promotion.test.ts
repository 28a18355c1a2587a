import { expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { Release } from "../../crds/release.ts";
import { why } from "./ask-why.ts";
import { eventually } from "./fixture.ts";
import { seen } from "./harness.ts";
import { aPipelineHarness } from "./pipeline-harness.ts";
import { aConfigMapFile } from "./release-harness.ts";

test("fairlead why says until when a Promotion soaks, although its status does not", async () => {
  // Given a Promotion of a healthy Release that soaks for an hour
  const harness = await aPipelineHarness();
  const { namespace } = harness;
  const revision = harness.commit({ "shop/dev/web.json": aConfigMapFile("web-dev", { version: "1" }) });
  await harness.start();
  await harness.pipeline("shop", [{ name: "dev", releases: ["dev"], pass: { soak: "1h" } }]);
  await harness.untilAt("shop-dev", revision);
  const since = await eventually(
    async () => {
      const { status } = await seen(Release, namespace, "shop-dev");
      const { healthySince } = (status?.["deployed"] ?? {}) as { readonly healthySince?: string };
      expect(healthySince).toBeDefined();
      return healthySince ?? "";
    },
    { what: "the Release is healthy" },
  );
  const until = new Date(Date.parse(since) + 3_600_000).toISOString().replace(".000Z", "Z");

  // When a user asks for it
  const asked = { kinds: [...kinds, ...deliveryKinds] };
  const { code, text } = await why("promotion/shop-dev-1", namespace, undefined, asked);

  // Then the answer has the instant
  expect(text).toContain(`Promotion ${namespace}/shop-dev-1 is being proven`);
  expect(text).toContain(`- Proving: soaking for 1h, until ${until}`);
  expect(code).toBe(1);
});
