import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiVersionOf } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { collectionPath } from "../../operator/cluster/resource-path.ts";
import { kubectl, kubectlJson, testCluster } from "./fixture.ts";
import { install } from "./install.ts";
import { type KubeAdapter, kubeAdapter } from "./kube-adapter.ts";

let transport: KubeAdapter["transport"];
let close: () => Promise<void>;
afterAll(() => close());

beforeAll(async () => {
  ({ transport } = await kubeAdapter({ check() {} }, (end) => {
    close = end;
  }));
  await install(testCluster(), { kinds: [], name: "release-crd", values: { releases: { enabled: true } } });
});

const source = { url: "https://git.example.dev/shop.git" };
const manifests = { render: { manifests: {} } };

/** The object that the API server would store, or its rejection. */
async function tryToCreate(spec: object): Promise<{ readonly spec?: object; readonly message?: string }> {
  const metadata = { name: "shop", namespace: "default" };
  const { body } = await transport.send({
    method: "POST",
    path: `${collectionPath(Release, "default")}?dryRun=All`,
    body: JSON.stringify({ apiVersion: apiVersionOf(Release), kind: "Release", metadata, spec }),
  });
  return JSON.parse(body);
}

describe("the CRD of Release", () => {
  test("is served under its short name, in a form that kubectl accepts as the parent of an ApplySet", async () => {
    const crd = await kubectlJson<{
      metadata: { labels: object };
      status: { conditions: { type: string; status: string }[] };
    }>("get crd releases.fairlead.dev");
    expect(crd.metadata.labels).toMatchObject({ "applyset.kubernetes.io/is-parent-type": "true" });
    expect(Object.fromEntries(crd.status.conditions.map(({ type, status }) => [type, status]))).toEqual({
      NamesAccepted: "True",
      Established: "True",
    });
    expect(await kubectl("get rel -n default -o name")).toBe("");
  });

  test("fills in defaults", async () => {
    const { spec } = await tryToCreate({ source, ...manifests });
    expect(spec).toEqual({
      // If one of several fields decides, a stored default would stay beside another one.
      source: { ...source, path: "." },
      interval: "1m",
      render: { manifests: {} },
      target: { createNamespace: false },
      prune: true,
      deletionPolicy: "Delete",
      timeout: "5m",
      suspend: false,
    });
  });

  test("accepts all fields, and any JSON as a program's inputs", async () => {
    const inputs = { replicas: 3, hosts: ["a", { deep: [null, 1.5, true] }], "odd key": {} };
    const spec = {
      source: {
        url: "ssh://git@git.example.dev/shop.git",
        ref: { semver: ">=1.2.0 <2.0.0" },
        path: "apps/web",
        secretRef: { name: "git" },
        verify: { secretRef: { name: "keys" } },
      },
      interval: "1m30s",
      render: { program: { entry: "app.ts", inputs, timeout: "500ms" } },
      target: {
        namespace: "web",
        createNamespace: true,
        serviceAccountName: "deployer",
        labels: { team: "a" },
        annotations: { "example.dev/why": "because" },
      },
      dependsOn: Array.from({ length: 64 }, (_, index) => ({ name: `r${index}`, namespace: "base" })),
      prune: false,
      deletionPolicy: "Orphan",
      timeout: "168h",
      healthChecks: Array.from({ length: 32 }, () => ({
        apiVersion: "example.dev/v1",
        kind: "Widget",
        current: "status.ready == true",
        inProgress: "!has(status.ready)",
        failed: "x".repeat(4_096),
      })),
      publish: { branch: "env/prod", path: "shop" },
      suspend: true,
      revision: "0".repeat(40),
    };
    expect((await tryToCreate(spec)).spec).toEqual(spec);
  });

  test.for<readonly [what: string, spec: object, says: string]>([
    ["no source", manifests, "spec.source: Required value"],
    ["no URL", { source: {}, ...manifests }, "spec.source.url: Required value"],
    ["no way to render", { source, render: {} }, "exactly one of manifests, program must be set"],
    [
      "two ways to render",
      { source, render: { manifests: {}, program: {} } },
      "exactly one of manifests, program must be set",
    ],
    [
      "two refs",
      { source: { ...source, ref: { branch: "main", tag: "v1" } }, ...manifests },
      "exactly one of branch, tag, semver, commit, pipeline must be set",
    ],
    [
      "an empty ref",
      { source: { ...source, ref: {} }, ...manifests },
      "exactly one of branch, tag, semver, commit, pipeline must be set",
    ],
    [
      "an interval that is too short",
      { source, ...manifests, interval: "10ms" },
      "must be between 1s and 168h",
    ],
    ["an interval of weeks", { source, ...manifests, interval: "169h" }, "must be between 1s and 168h"],
    ["an interval without a unit", { source, ...manifests, interval: "60" }, "spec.interval"],
    ["an abbreviated commit", { source, ...manifests, revision: "abc1234" }, "spec.revision"],
    [
      "an account that is not a valid name",
      { source, ...manifests, target: { serviceAccountName: "a:b" } },
      "spec.target.serviceAccountName",
    ],
    [
      "an account without a name",
      { source, ...manifests, target: { serviceAccountName: "" } },
      "spec.target.serviceAccountName",
    ],
    [
      "a namespace that is not a valid name",
      { source, ...manifests, target: { namespace: "../x" } },
      "spec.target.namespace",
    ],
    ["a policy that there is not", { source, ...manifests, deletionPolicy: "Keep" }, "spec.deletionPolicy"],
    [
      "more health checks than are allowed",
      {
        source,
        ...manifests,
        healthChecks: Array.from({ length: 33 }, () => ({ apiVersion: "v1", kind: "X", current: "true" })),
      },
      "spec.healthChecks: Too many",
    ],
  ])("refuses %s", async ([, spec, says]) => {
    const { message } = await tryToCreate(spec);
    expect(message).toContain('Release.fairlead.dev "shop" is invalid');
    expect(message).toContain(says);
  });
});
