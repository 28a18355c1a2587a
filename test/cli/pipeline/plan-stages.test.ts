import { expect, test } from "vitest";
import { planStages } from "../../../cli/pipeline/plan-stages.ts";
import { ApiClient } from "../../../cli/release/api-client.ts";
import type { ReleaseSession } from "../../../cli/release/release-command.ts";
import type { ReleaseObject } from "../../../cli/release/release-object.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { FakeApi } from "../release/fake-api.ts";
import { removeLauncher } from "../without-launcher.ts";
import { aPipeline } from "./a-pipeline.ts";

const path = (namespace: string, name: string) =>
  `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/releases/${name}`;

const anywhere = { folder: "/does/not/exist" };

function planned(
  api: FakeApi,
  releases?: ReadonlyMap<string, ReleaseObject>,
  place: { folder: string } | { revision: string } = anywhere,
) {
  // A machine without the launcher is enough for a local folder.
  removeLauncher();
  const client = new ApiClient(api);
  const session = { client, transport: api, namespace: "shop" } as unknown as ReleaseSession;
  return planStages(aPipeline(), {
    session,
    shapeOf: builtInShapeOf,
    ...place,
    timeoutMs: 1_000,
    weakSandbox: false,
    ...(releases && { releases }),
  });
}

test("a Release that the user may not read is reported, and the others are planned", async () => {
  const plans = await planned(new FakeApi({}, { forbidden: [path("apis", "api")] }));
  expect(plans.map(({ stage, digest }) => [stage, digest])).toEqual([
    ["dev", undefined],
    ["prod", undefined],
  ]);
  expect(plans.flatMap(({ releases }) => releases)).toMatchObject([
    { release: "shop/web-dev", error: "does not exist" },
    { release: "shop/web", error: "does not exist" },
    { release: "apis/api", error: expect.stringMatching(/^Cannot read "Release apis\/api"/) },
  ]);
});

const web = {
  metadata: { name: "web-dev", namespace: "shop" },
  spec: { source: { path: "deploy" }, render: { manifests: {} }, target: {} },
} as unknown as ReleaseObject;

test("a Release of a file is planned instead of that in the cluster", async () => {
  const [dev] = await planned(new FakeApi({}), new Map([["shop/web-dev", web]]));
  expect(dev?.releases).toMatchObject([{ error: expect.stringContaining("/does/not/exist/deploy") }]);
});

test("nothing is planned if the kernel does not isolate processes for a source from git", async () => {
  const releases = new Map([["shop/web-dev", web]]);
  await expect(planned(new FakeApi({}), releases, { revision: "1a" })).rejects.toMatchObject({
    name: "WeakSandboxError",
  });
});
