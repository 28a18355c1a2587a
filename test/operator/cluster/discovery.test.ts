import { expect, test } from "vitest";
import { Discovery } from "../../../operator/cluster/discovery.ts";
import { widgets } from "../../fakes/objects.ts";
import { configMaps, scriptedCluster } from "./fixture.ts";

const resource = { name: "widgets", kind: "Widget", namespaced: true, verbs: ["get", "list"] };

test("asks once for all kinds of a group", async () => {
  await using cluster = await scriptedCluster();
  cluster.server.script = (_request, answer) => answer.json(200, { resources: [resource] });
  const discovery = new Discovery(cluster.transport);
  const found = { kind: "Widget", namespaced: true, verbs: ["get", "list"] };
  expect(await Promise.all([discovery.find(widgets), discovery.find(widgets)])).toEqual([found, found]);
  expect(cluster.server.requests.map(({ path }) => path)).toEqual(["/apis/example.dev/v1alpha1"]);
});

test("looks again for a kind that was not there", async () => {
  await using cluster = await scriptedCluster();
  cluster.server.script = (_request, answer) =>
    cluster.server.requests.length === 1
      ? answer.refuse(404, "NotFound", "none")
      : answer.json(200, { resources: [resource] });
  const discovery = new Discovery(cluster.transport);
  expect(await discovery.find(widgets)).toBeUndefined();
  expect(await discovery.find(widgets)).toMatchObject({ kind: "Widget" });
});

test("knows the core group, and says why it cannot tell", async () => {
  await using cluster = await scriptedCluster();
  cluster.server.script = (_request, answer) => answer.refuse(403, "Forbidden", "no right");
  await expect(new Discovery(cluster.transport).find(configMaps)).rejects.toThrow(
    'Cannot read the kinds of "v1": the API server answered 403: no right',
  );
  expect(cluster.server.requests[0]?.path).toBe("/api/v1");
});
