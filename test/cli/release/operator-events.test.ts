import { expect, test } from "vitest";
import { ApiClient } from "../../../cli/release/api-client.ts";
import { formatEvents, type OperatorEvent, readEvents } from "../../../cli/release/operator-events.ts";
import { aRelease } from "./a-release.ts";
import { FakeApi } from "./fake-api.ts";

const anEvent = (name: string, more: Partial<OperatorEvent>): OperatorEvent => ({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name, namespace: "shop" },
  type: "Normal",
  reason: "Deployed",
  note: `Deployed ${name}`,
  regarding: { kind: "Release", namespace: "shop", name: "web" },
  ...more,
});
const path = "/apis/events.k8s.io/v1/namespaces/shop/events";
const [first, last] = [
  anEvent("a", { eventTime: "2026-01-01T00:00:00.000000Z" }),
  anEvent("b", {
    eventTime: "2025-12-31T23:00:00.000000Z",
    series: { count: 3, lastObservedTime: "2026-01-01T00:00:30.000000Z" },
    note: "Restored Service\nshop/web \u001b[2J",
  }),
];

test("readEvents() requests the events of this operator, the newest last", async () => {
  const api = new FakeApi({ [`${path}/b`]: last, [`${path}/a`]: first });
  const client = new ApiClient(api);
  const release = aRelease({ name: "web", namespace: "shop" });
  const found = await readEvents(client, { namespace: "shop", release });
  expect(found.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  const { searchParams } = new URL(`http://api${api.requests[0]?.path}`);
  expect(searchParams.get("fieldSelector")).toBe(
    "reportingController=fairlead.dev/operator,regarding.kind=Release,regarding.name=web",
  );
});

test("formatEvents() shows a line each, with a count and without control characters", () => {
  const nowMs = Date.parse("2026-01-01T00:01:00Z");
  expect(formatEvents([first, last], { namespaces: true, nowMs })).toEqual([
    "LAST SEEN      TYPE    REASON    OBJECT            MESSAGE",
    "60s            Normal  Deployed  Release shop/web  Deployed a",
    "30s (3 times)  Normal  Deployed  Release shop/web  Restored Service shop/web  [2J",
  ]);
});
