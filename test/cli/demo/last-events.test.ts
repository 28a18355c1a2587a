import { expect, test } from "vitest";
import { followEvents, lastRows } from "../../../cli/demo/last-events.ts";
import { ApiClient } from "../../../cli/release/api-client.ts";
import type { OperatorEvent } from "../../../cli/release/operator-events.ts";
import { FakeApi } from "../release/fake-api.ts";

const anEvent = (second: number, more: Partial<OperatorEvent> = {}): OperatorEvent => ({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name: `e${second}`, namespace: "shop" },
  reason: "Deployed",
  note: "Deployed commit 1\nof 2",
  eventTime: `2026-01-01T12:00:0${second}.000000Z`,
  regarding: { kind: "Release", namespace: "shop", name: "web" },
  ...more,
});

test("lastRows() returns the newest five events, the newest last, on a line each", () => {
  const series = { count: 3, lastObservedTime: "2026-01-01T12:34:56.000000Z" };
  const rows = lastRows([0, 1, 2, 3, 4].map((second) => anEvent(second)).concat(anEvent(5, { series })));
  expect(rows).toHaveLength(5);
  expect(rows.at(0)).toEqual({
    ...{ time: "12:00:01", event: "Deployed", object: "Release shop/web" },
    message: "Deployed commit 1 of 2",
  });
  expect(rows.at(-1)).toMatchObject({ time: "12:34:56", event: "Deployed (3 times)" });
});

test("followEvents() calls back after changes, and keeps its rows if events cannot be read", async () => {
  const path = "/apis/events.k8s.io/v1/namespaces/shop/events/e1";
  const events = followEvents(new ApiClient(new FakeApi({ [path]: anEvent(1) })));
  await new Promise<void>((resolve) => events.onChange(resolve));
  expect(events.rows).toHaveLength(1);
  events.stop();
  const forbidden = followEvents(
    new ApiClient(new FakeApi({}, { forbidden: ["/apis/events.k8s.io/v1/events"] })),
  );
  expect(forbidden.rows).toEqual([]);
  forbidden.stop();
});
