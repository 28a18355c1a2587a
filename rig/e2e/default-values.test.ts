import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../../test/cluster/eventually.ts";
import { OPERATOR_IMAGE } from "./images.ts";
import { installWith, OPERATOR } from "./operator.ts";
import { type Stack, startStack } from "./stack.ts";
import { apply, commitFiles, createTenant, readConditions, readConfigMap, releaseOf } from "./tenants.ts";

const prepared = inject("endToEnd");
const namespace = "shop";

describe.skipIf(prepared.missing !== undefined)(
  "on real containers, installed with the default values",
  () => {
    let running: Stack | undefined;
    const stack = () => {
      if (running === undefined) throw new Error("The node did not start");
      return running;
    };

    beforeAll(async () => {
      if (prepared.missing === undefined) running = await startStack(prepared);
    });
    afterAll(() => running?.stop());

    test("an image that is in no registry is refused, with the command that builds it", async () => {
      await expect(installWith(stack(), [])).rejects.toThrow(/no registry has it.*\n +podman build -t /);
      await expect(installWith(stack(), [`--set=image=${OPERATOR_IMAGE}`])).rejects.toThrow(
        "no registry has it",
      );
      expect(await stack().kubectl("get namespaces -o name")).not.toContain(OPERATOR.namespace);
    });

    test("fairlead install installs Releases, and none of the shipped kinds", async () => {
      // Only the node has the image, not a registry.
      const output = await installWith(stack(), [
        `--set=image=${OPERATOR_IMAGE}`,
        "--set=imagePullPolicy=Never",
      ]);
      expect(output).toMatch(/^created +Deployment fairlead-system\/fairlead$/m);
      expect(output).not.toContain("simulated");
      expect((await stack().kubectl("get crds -o name")).trim().split("\n")).toEqual([
        "customresourcedefinition.apiextensions.k8s.io/approvals.fairlead.dev",
        "customresourcedefinition.apiextensions.k8s.io/freezes.fairlead.dev",
        "customresourcedefinition.apiextensions.k8s.io/pipelines.fairlead.dev",
        "customresourcedefinition.apiextensions.k8s.io/promotions.fairlead.dev",
        "customresourcedefinition.apiextensions.k8s.io/releasepolicies.fairlead.dev",
        "customresourcedefinition.apiextensions.k8s.io/releases.fairlead.dev",
      ]);
    });

    test("a Release with an account is deployed from an https repository, after a push and after a deletion", async () => {
      await createTenant(stack(), namespace);
      const push = (version: string) =>
        commitFiles(stack(), namespace, {
          "web/all.json": JSON.stringify({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "web" },
            data: { version },
          }),
        });
      await push("1");
      const { kubectl } = stack();
      await kubectl(["create", "serviceaccount", "deployer", "-n", namespace]);
      const binding = ["create", "rolebinding", "deployer", "-n", namespace, "--clusterrole=edit"];
      await kubectl([...binding, `--serviceaccount=${namespace}:deployer`]);
      const input = { namespace, name: "web", render: { manifests: {} }, interval: "10s" };
      await apply(stack(), [releaseOf({ ...input, serviceAccountName: "deployer" })]);
      await kubectl(["wait", "release/web", "-n", namespace, "--for=condition=Ready", "--timeout=180s"]);
      expect(await readConfigMap(stack(), namespace, "web")).toEqual({ version: "1" });
      await push("2");
      await eventually(async () => (await readConfigMap(stack(), namespace, "web"))?.["version"] === "2", {
        what: "the push is deployed",
        intervalMs: 250,
      });
      await kubectl(["delete", "configmap", "web", "-n", namespace]);
      await eventually(async () => (await readConfigMap(stack(), namespace, "web"))?.["version"] === "2", {
        what: "the deleted object is recreated",
        intervalMs: 250,
      });
    });

    test("a Release without an account is refused, with the solution", async () => {
      await apply(stack(), [
        releaseOf({ namespace, name: "nameless", path: "web", render: { manifests: {} } }),
      ]);
      await eventually(
        async () =>
          expect((await readConditions(stack(), namespace, "Ready")).get("nameless")?.message).toContain(
            "set spec.target.serviceAccountName",
          ),
        { what: "the Release is refused", intervalMs: 250 },
      );
    });

    test("the operator may not write deployed objects, as the documentation lists", async () => {
      const user = `--as=system:serviceaccount:${OPERATOR.namespace}:${OPERATOR.name}`;
      const mayNot = async (...args: readonly string[]) =>
        expect(
          await stack()
            .kubectl(["auth", "can-i", ...args, user])
            .catch((error) => error.stdout),
        ).toBe("no\n");
      await mayNot("create", "configmaps", "-n", namespace);
      await mayNot("get", "secrets", "-n", namespace);
      await mayNot("delete", "deployments.apps", "-n", namespace);
      expect(await stack().kubectl(["auth", "can-i", "impersonate", "serviceaccounts", user])).toBe("yes\n");
    });

    test("the next run keeps the values, and a dry run shows the changes by other values", async () => {
      expect(await installWith(stack(), [])).toMatch(
        /^Kept from the last run: image=localhost\/fairlead:e2e, imagePullPolicy=Never .*\nReleases that name no ServiceAccount: shop\/nameless\..*\nInstalled: \d+ unchanged\n$/,
      );
      expect(await installWith(stack(), ["--set=replicas=3", "--dry-run"])).toContain(
        "\n-  replicas: 2\n+  replicas: 3\n",
      );
    });
  },
);
