import { expect, onTestFinished, test } from "vitest";
import { apiVersionOf } from "../../crds/object.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import { applyObjects, kubectl, readObject } from "./fixture.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

/** Policies are cluster-scoped: each test limits its own namespace only. */
function aPolicy(namespace: string) {
  onTestFinished(async () => void (await kubectl(["delete", "relpol", namespace, "--ignore-not-found"])));
  return {
    apply: (rule: object) =>
      applyObjects({
        apiVersion: apiVersionOf(ReleasePolicy),
        kind: ReleasePolicy.kind,
        metadata: { name: namespace },
        spec: { rules: [{ namespaces: { names: [namespace] }, ...rule }] },
      }),
    remove: () => kubectl(["delete", "relpol", namespace]),
  };
}

test("a policy decides which repositories a Release may use, and each edit of it takes effect at once", async () => {
  const { namespace, source, commit, start, release, until, untilAt, untilGone } = await aReleaseHarness();
  const policy = aPolicy(namespace);
  await policy.apply({ sources: [`file://${source.folder}/other/`] });
  const first = commit({ "shop/web.json": aConfigMapFile("web", { colour: "blue" }) });
  await start();

  // Given a Release of another repository
  await release("shop");
  const refused = { status: "False", reason: "PolicyRefused", message: /rule 1: .*Ask the platform team/ };
  await until("shop", refused);
  expect(await readObject("configmaps", "web", namespace)).toBeUndefined();

  // When the policy allows it, then it is deployed
  await policy.apply({ sources: [`file://${source.folder}/`] });
  await untilAt("shop", first);

  // When the policy forbids it again, then the deployed objects stay, and nothing new is deployed
  await policy.apply({ sources: [] });
  await until("shop", refused);
  commit({ "shop/web.json": aConfigMapFile("web", { colour: "green" }) });
  await kubectl(["annotate", "release", "shop", "-n", namespace, "fairlead.dev/requested-at=now"]);
  await until("shop", refused);
  expect(await readObject("configmaps", "web", namespace)).toMatchObject({ data: { colour: "blue" } });

  // And it can be deleted
  await kubectl(["delete", "release", "shop", "-n", namespace, "--wait=false"]);
  await untilGone("shop");
  expect(await readObject("configmaps", "web", namespace)).toBeUndefined();
});

test("a policy sets the ServiceAccount of Releases without one, and the number of Releases", async () => {
  const { namespace, commit, start, release, until, remove } = await aReleaseHarness();
  const policy = aPolicy(namespace);
  await policy.apply({ serviceAccountName: "nobody", quotas: { releases: 1 } });
  commit({ "one/web.json": aConfigMapFile("one", {}), "two/web.json": aConfigMapFile("two", {}) });
  await start();
  await release("one");
  await until("one", { status: "False", message: new RegExp(`system:serviceaccount:${namespace}:nobody`) });

  await release("two");
  await until("two", { status: "False", reason: "PolicyRefused", message: /1 Releases/ });
  await policy.apply({ quotas: { releases: 1 } });
  await until("one", { status: "True" });
  await remove("one");
  await until("two", { status: "True" });

  // Without a policy the installation's values apply
  await policy.remove();
  await release("three", { source: { url: "file:///not/there" } });
  await until("three", { status: "False", reason: "SourceNotFound" });
});

test("the API server refuses policies with unknown or malformed fields", async () => {
  const policy = aPolicy("malformed");
  await expect(policy.apply({ sources: ["http://git.example.dev/"] })).rejects.toThrow(/sources/);
  await expect(policy.apply({ quotas: { releases: -1 } })).rejects.toThrow(/releases/);
});
