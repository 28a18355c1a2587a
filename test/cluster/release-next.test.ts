import { expect, test } from "vitest";
import type { ReleaseStatus } from "../../crds/release.ts";
import { Release } from "../../crds/release.ts";
import { applyObjects, eventually, readObject } from "./fixture.ts";
import { seen } from "./harness.ts";
import { isWork, lineOf } from "./operator-user.ts";
import { aConfigMapFile, aReleaseHarness, type ReleaseHarness } from "./release-harness.ts";

const rbac = "rbac.authorization.k8s.io";

/** An account that may deploy ConfigMaps into the namespace, and nothing else. */
async function makeDeployer(namespace: string): Promise<void> {
  const metadata = { name: "deployer", namespace };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch", "delete"] }];
  const roleRef = { apiGroup: rbac, kind: "Role", name: "deployer" };
  const subjects = [{ kind: "ServiceAccount", ...metadata }];
  await applyObjects(
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    { apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, roleRef, subjects },
  );
}

type NextPlan = NonNullable<ReleaseStatus["next"]>;

/** The plan of a commit, as soon as it exists. */
const planOf = ({ namespace }: ReleaseHarness, commit: string): Promise<NextPlan> =>
  eventually(
    async () => {
      const { status } = (await seen(Release, namespace, "shop")) as { readonly status?: ReleaseStatus };
      if (status?.next?.revision !== commit) throw new Error(JSON.stringify(status ?? "no status"));
      return status.next;
    },
    { what: `commit ${commit} is planned` },
  );

/** Requests of the operator for objects of the Release: `patch configmaps a 200`, with their account. */
async function sentFor({ user, namespace }: ReleaseHarness, since: Date) {
  const account = `system:serviceaccount:${namespace}:deployer`;
  const writes = (await user.requests(since)).filter(
    (request) => isWork(request) && ["configmaps", "secrets"].includes(request.objectRef?.resource ?? ""),
  );
  for (const { impersonatedUser } of writes) expect(impersonatedUser?.username).toBe(account);
  const [plans, applies] = [[] as string[], [] as string[]];
  for (const write of writes) (write.requestURI.includes("dryRun=All") ? plans : applies).push(lineOf(write));
  return { plans: plans.toSorted(), applies: applies.toSorted() };
}

test("a Release of a stage plans commits with its ServiceAccount, and deploys the pinned one", async () => {
  // Given an unpinned Release of a stage, with an account that may deploy ConfigMaps
  const harness = await aReleaseHarness();
  const { namespace, source, commit } = harness;
  await makeDeployer(namespace);
  const first = commit({ "shop/a.json": aConfigMapFile("a", { colour: "blue" }) });
  const stage = {
    source: { url: `file://${source.path}`, path: "shop", ref: { pipeline: "shop", stage: "prod" } },
    target: { serviceAccountName: "deployer" },
  };
  const begin = new Date();
  await harness.start();
  await harness.release("shop", { ...stage, next: { revision: first } });
  const colour = async () =>
    (await readObject<{ data?: Record<string, string> }>("configmaps", "a", namespace))?.data?.["colour"];

  // Then its next commit is planned, and nothing is deployed
  const plan = await planOf(harness, first);
  expect(plan).toMatchObject({ create: 1, change: 0, delete: 0, held: 0, mutableImages: 0 });
  await harness.until("shop", {
    status: "False",
    reason: "PinPending",
    message: /Pipeline shop, stage prod/,
  });
  expect(await sentFor(harness, begin)).toEqual({ plans: ["patch configmaps a 201"], applies: [] });

  // When that commit is pinned with the digest of its plan
  await harness.release("shop", { ...stage, revision: first, digest: plan.digest });
  const deployed = await harness.until("shop", { status: "True" });

  // Then it is deployed, with that digest
  expect(deployed.status?.["deployed"]).toMatchObject({
    ...{ revision: first, digest: plan.digest, generation: deployed.metadata.generation },
    ...{ since: expect.any(String), healthySince: expect.any(String) },
  });

  // A commit that needs more permissions than the account has is not deployed with the operator's
  const secret = {
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } },
    stringData: { password: "correct-horse" },
  };
  const second = commit({
    "shop/a.json": aConfigMapFile("a", { colour: "red" }),
    "shop/b.json": aConfigMapFile("b", {}),
    "shop/s.json": secret,
  });
  const pinned = { ...stage, revision: first, digest: plan.digest };
  await harness.release("shop", { ...pinned, next: { revision: second } });
  const refused = await planOf(harness, second);
  expect(refused.error).toMatch(/may not patch "secrets"/);
  expect(JSON.stringify(refused)).not.toContain("correct-horse");
  // Without it, its plan is not tried again, so that no request for it is counted below
  await harness.release("shop", pinned);
  await harness.until("shop", { status: "True" });

  // One that the account may deploy is planned once, object by object, while nothing changes
  const third = commit({ "shop/s.json": undefined });
  const planning = new Date();
  await harness.release("shop", { ...pinned, next: { revision: third } });
  const next = await planOf(harness, third);
  expect(next).toMatchObject({ create: 1, change: 1, delete: 0, held: 0 });
  await harness.until("shop", { status: "True" });
  expect(await sentFor(harness, planning)).toEqual({
    plans: ["patch configmaps a 200", "patch configmaps b 201"],
    applies: [],
  });
  expect(await colour()).toBe("blue");

  // Pinned with another digest, nothing of it is applied
  const mismatch = new Date();
  await harness.release("shop", { ...stage, revision: third, digest: plan.digest });
  const { digest = "" } = next;
  await harness.until("shop", {
    status: "False",
    reason: "DigestMismatch",
    message: new RegExp(`${digest}.*${plan.digest}`),
  });
  expect(await planOf(harness, third)).toMatchObject({ digest, create: 1, change: 1 });
  expect((await sentFor(harness, mismatch)).applies).toEqual([]);

  // and with its own, exactly the planned manifests are
  const applying = new Date();
  await harness.release("shop", { ...stage, revision: third, digest });
  await harness.until("shop", { status: "True" });
  expect((await sentFor(harness, applying)).applies).toEqual([
    "patch configmaps a 200",
    "patch configmaps b 201",
  ]);

  // Without its pin it stays at the deployed commit, for any change of the branch
  await harness.release("shop", stage);
  commit({ "shop/a.json": aConfigMapFile("a", { colour: "green" }) });
  const unpinned = await harness.until("shop", { status: "True" });
  expect(unpinned.status?.["deployed"]).toMatchObject({ revision: third, digest });
  expect(unpinned.status).not.toHaveProperty("next");
  expect(await colour()).toBe("red");
});
