import { expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { Release } from "../../crds/release.ts";
import { why } from "./ask-why.ts";
import { eventually } from "./fixture.ts";
import { aPipelineStory } from "./pipeline-story.ts";
import { aConfigMapFile } from "./release-story.ts";
import { seen } from "./story.ts";

test("fairlead why says until when a Promotion soaks, although its status does not", async () => {
  // Given a Promotion of a healthy Release that soaks for an hour
  const story = await aPipelineStory();
  const { namespace } = story;
  const revision = story.commit({ "shop/dev/web.json": aConfigMapFile("web-dev", { version: "1" }) });
  await story.start();
  await story.pipeline("shop", [{ name: "dev", releases: ["dev"], pass: { soak: "1h" } }]);
  await story.untilAt("shop-dev", revision);
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
