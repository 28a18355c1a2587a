import { expect, test } from "vitest";
import { findPipeline, listPipelines } from "../../../cli/pipeline/pipeline-object.ts";
import { mayOnStage, readCaller } from "../../../cli/pipeline/who-am-i.ts";
import { ApiClient } from "../../../cli/release/api-client.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";
import { FakeApi } from "../release/fake-api.ts";
import { aPipeline } from "./a-pipeline.ts";

const path = "/apis/fairlead.dev/v1alpha1/namespaces/shop/pipelines";
const there: Readonly<Record<string, KubernetesObject>> = {
  [`${path}/shop`]: aPipeline(),
  [`${path}/api`]: aPipeline({ name: "api" }),
};
const session = { client: new ApiClient(new FakeApi(there)), namespace: "shop" };

test("findPipeline() accepts a name, or a namespace and a name, and lists the existing ones", async () => {
  expect((await findPipeline("shop", session)).metadata.name).toBe("shop");
  expect((await findPipeline("shop/api", { ...session, namespace: "other" })).metadata.name).toBe("api");
  await expect(findPipeline("web", session)).rejects.toThrow(
    'Cannot find Pipeline "web": in namespace "shop" there are api, shop',
  );
  await expect(findPipeline("other/web", session)).rejects.toThrow('in namespace "other" there is none');
  await expect(findPipeline("shop/", session)).rejects.toThrow("expected a name, or namespace/name");
  expect(
    (await listPipelines(session.client, { namespace: undefined })).map(({ metadata }) => metadata.name),
  ).toEqual(["api", "shop"]);
});

test("the API server answers requests about the caller", async () => {
  const asked: ApiRequest[] = [];
  const answers: Readonly<Record<string, object>> = {
    "/apis/authentication.k8s.io/v1/selfsubjectreviews": { userInfo: { username: "ada", groups: ["sre"] } },
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": { allowed: true },
  };
  const client = new ApiClient({
    send: async (request) => {
      asked.push(request);
      return {
        status: 201,
        body: JSON.stringify({ status: answers[request.path] }),
        retryAfterMs: undefined,
      };
    },
  });
  expect(await readCaller(client)).toEqual({ username: "ada", groups: ["sre"] });
  expect(await mayOnStage(client, { namespace: "shop", pipeline: "web", stage: "prod" }, "approve")).toBe(
    true,
  );
  expect(JSON.parse(asked[1]?.body ?? "")).toMatchObject({
    kind: "SelfSubjectAccessReview",
    spec: {
      resourceAttributes: {
        group: "fairlead.dev",
        resource: "stages",
        verb: "approve",
        namespace: "shop",
        name: "web.prod",
      },
    },
  });
});
