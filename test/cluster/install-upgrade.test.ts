import { expect, test } from "vitest";
import { shippedKinds } from "../../charts/bindings-delivery.ts";
import { planInstall } from "../../cli/install/plan-install.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { anEmptyCluster } from "./installation.ts";

const cluster = anEmptyCluster();
const { kubectl, install } = cluster;

/**
 * The installation of the release of 21 November 2026 with `releases.enabled` as the only value, all others having their
 * defaults, and with later additions.
 */
const former = {
  image: "fairlead:0.1.0",
  samples: { enabled: true },
  releases: { enabled: true, impersonate: false, requireServiceAccount: false },
  // In the form of an installation on this API server.
  policies: { userDefaults: true },
};

const metadata = { name: "e", namespace: "default" };
const echo = { apiVersion: "mmontes.io/v1alpha1", kind: "Echo", metadata, spec: { message: "hello" } };
const release = {
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "Release",
  metadata: { name: "web", namespace: "default" },
  spec: { source: { url: "https://git.test/r.git" }, render: { manifests: {} } },
};

async function apply(objects: readonly object[]): Promise<void> {
  await kubectl("apply --server-side --field-manager=fairlead-cli -f -", { input: objects });
}

/** Title → uid of the deployed objects and of their definitions. */
async function deployed(): Promise<ReadonlyMap<string, string | undefined>> {
  const list = await kubectl("get crds,echos,releases -A -o json");
  const { items } = JSON.parse(list) as { readonly items: readonly KubernetesObject[] };
  return new Map(items.map(({ kind, metadata: { name, uid } }) => [`${kind} ${name}`, uid]));
}

const argsOf = async (): Promise<readonly string[]> =>
  JSON.parse(
    await kubectl(
      "get deployment fairlead -n fairlead-system -o jsonpath={.spec.template.spec.containers[0].args}",
    ),
  ) as string[];

test("an upgrade from a release with other defaults keeps the deployed objects, until the new defaults are requested", async () => {
  const { definitions, objects } = planInstall(shippedKinds, former, { crdsOnly: false });
  await apply(definitions);
  await kubectl("wait --for=condition=Established --timeout=180s crd --all");
  await apply(objects);
  await apply([echo, release]);
  const [before, args] = [await deployed(), await argsOf()];

  const output = await install({});
  expect(output).toContain("it is from an earlier release, whose defaults were samples.enabled=true, ");
  expect(output).toContain(
    "Kept from the last run: releases.impersonate=false, releases.requireServiceAccount=false, samples.enabled=true",
  );
  expect(output).toMatch(
    /\ncreated {3}ConfigMap fairlead-system\/fairlead-values\nInstalled: 1 created, \d+ unchanged\n/,
  );
  expect([await deployed(), await argsOf()]).toEqual([before, args]);
  expect(await install({})).not.toMatch(/earlier release|created {3}|changed {3}|removed/);

  const reset = await install({ resetValues: true });
  expect(reset).toContain(
    "Not kept from the last run: releases.impersonate=false, releases.requireServiceAccount=false, samples.enabled=true",
  );
  expect(reset).toContain(
    "Releases that name no ServiceAccount: default/web. They are refused: their deployed objects stay",
  );
  expect(reset).toContain(
    "left      CustomResourceDefinition echos.mmontes.io (Echo default/e not reconciled)\n",
  );
  expect(reset).toContain("To reconcile them: --set 'kinds=[Echo]'\n");
  expect(await deployed()).toEqual(before);
  expect(await argsOf()).toEqual(
    expect.arrayContaining(["--kinds=none", "--release-require-service-account=true"]),
  );
});
