import { expect, onTestFinished, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
import { createKindCatalog } from "../../operator/cluster/found-kinds/kind-catalog.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";
import { eventually, kubectl, kubectlJson } from "./fixture.ts";
import { kubeAdapter } from "./kube-adapter.ts";

async function aCatalog() {
  const { transport } = await kubeAdapter();
  const requests: string[] = [];
  const answers: number[] = [];
  const woken: string[] = [];
  const catalog = createKindCatalog({
    transport: {
      async send(request) {
        requests.push(request.path);
        const response = await transport.send(request);
        answers.push(response.status);
        return response;
      },
    },
    clock: systemClock(),
    random: Math.random,
    log: new RecordingLogger(),
    wake: (keys) => void woken.push(...keys),
  });
  onTestFinished(() => catalog.close());
  return { catalog, requests, answers, woken };
}

test("discovery of a real API server needs two requests, and two without a body if nothing has changed", async () => {
  const { catalog, requests, answers, woken } = await aCatalog();
  expect(catalog.ask("apps/v1", "Deployment", "shop/a")).toEqual({ state: "pending" });
  await eventually(() => woken.includes("shop/a"), { what: "there is an answer" });
  expect(requests.toSorted()).toEqual(["/api", "/apis"]);
  const shown = (kind: ReturnType<typeof catalog.find>) => kind && `${kind.plural} ${kind.namespaced}`;
  expect(shown(catalog.find("apps/v1", "Deployment"))).toBe("deployments true");
  expect(shown(catalog.find("v1", "Namespace"))).toBe("namespaces false");
  expect(shown(catalog.find("rbac.authorization.k8s.io/v1", "ClusterRole"))).toBe("clusterroles false");
  expect(shown(catalog.findGroupKind("autoscaling", "HorizontalPodAutoscaler"))).toBe(
    "horizontalpodautoscalers true",
  );
  expect(catalog.find("authentication.k8s.io/v1", "TokenReview")).toBeUndefined();
  catalog.refresh();
  await eventually(() => answers.length === 4, { what: "it ran discovery again" });
  // Other tests may have created or deleted a kind in the meantime.
  expect([200, 304]).toContain(answers[2]);
});

test("a kind is known when its definition is established, and can then be written", async () => {
  const { catalog, woken, requests } = await aCatalog();
  const group = `kinds-${crypto.randomUUID().slice(0, 8)}.fairlead.dev`;
  catalog.ask(`${group}/v1`, "Widget", "shop/a");
  await eventually(() => woken.splice(0).includes("shop/a"), { what: "there is an answer" });
  expect(catalog.ask(`${group}/v1`, "Widget", "shop/a").state).toBe("absent");
  const asked = requests.length;
  const name = `widgets.${group}`;
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: anything } }],
    },
  };
  onTestFinished(async () => void (await kubectl(["delete", "crd", name])));
  await kubectl("create -f -", { input: crd });
  const live = await eventually(
    async () => {
      const found = await kubectlJson<LiveObject>(["get", "crd", name]);
      catalog.learn(found);
      return catalog.find(`${group}/v1`, "Widget") !== undefined && found;
    },
    { what: "the definition is established" },
  );
  expect(woken).toContain("shop/a");
  // Its definition has what discovery returns later.
  const byDefinition = catalog.find(`${group}/v1`, "Widget");
  await eventually(() => requests.length > asked, { what: "discovery also has it" });
  expect(catalog.find(`${group}/v1`, "Widget")).toBe(byDefinition);
  catalog.unlearn(live);
  expect(catalog.find(`${group}/v1`, "Widget")).toBeUndefined();
});
