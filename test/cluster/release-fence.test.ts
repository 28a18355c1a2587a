import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigMap, Namespace, Secret } from "../../crds/core-kinds.ts";
import { Release } from "../../crds/release.ts";
import { impersonationHeaders } from "../../operator/cluster/impersonation.ts";
import { RecordKey } from "../../operator/cluster/record-key.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { stamps } from "../../synth/manifest.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";
import { aNamespace, applyObjects, eventually, kubectl, readObject } from "./fixture.ts";
import { recordKeysIn } from "./install.ts";
import { aReleaseFenceFixture, deployer, type ReleaseFenceFixture } from "./release-fence-fixture.ts";

/** Removes the objects for all tests of this file after them. (A hook cannot add hooks.) */
const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

let fixture: ReleaseFenceFixture;
beforeAll(async () => {
  fixture = await aReleaseFenceFixture((end) => void endings.push(end));
});

describe("under impersonation", () => {
  test("the API server treats a request as one of the ServiceAccount, with its groups and no others", async () => {
    const { namespace, who, line } = fixture;
    const review = await line.transport.send({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
      headers: impersonationHeaders(who, line.holder),
    });
    expect(JSON.parse(review.body)).toMatchObject({
      status: {
        userInfo: {
          username: `system:serviceaccount:${namespace}:${deployer}`,
          groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
          extra: { "fairlead.dev/holder": [`${namespace}/operator/leader`] },
        },
      },
    });
  });

  test("the leadership fence applies to objects of any kind", async () => {
    const { leader, standby, who, manifest, inSet, freshName, update, remove } = fixture;
    const [asLeader, asStandby] = [leader.as(who), standby.as(who)];
    for (const kind of [ConfigMap, Secret, Namespace]) {
      const name = freshName(`lead-${fixture.namespace}`);
      const made = manifest(kind, name, inSet("shop"));
      await expect(asStandby.apply(kind, made, { mode: "create" })).rejects.toThrow(
        /the lease is held by leader, and this request comes from standby/,
      );
      await asLeader.apply(kind, made, { mode: "create" });
      await expect(update(asStandby, kind, name, inSet("shop"))).rejects.toMatchObject({
        name: "NotLeadingError",
        isRefusal: true,
      });
      await expect(remove(asStandby, kind, name)).rejects.toThrow(/the lease is held by leader/);
      await remove(asLeader, kind, name);
    }
  });

  test("the leadership fence admits the next leader, and rejects the previous one", async () => {
    const { leader, standby, who, manifest, inSet, freshName, give } = fixture;
    await give("standby");
    const as = { mode: "create" } as const;
    await eventually(
      async () => {
        await standby.as(who).apply(ConfigMap, manifest(ConfigMap, freshName("next"), inSet("shop")), as);
        return true;
      },
      { what: "the API server has observed the new holder" },
    );
    const late = leader.as(who).apply(ConfigMap, manifest(ConfigMap, freshName("late"), inSet("shop")), as);
    await expect(late).rejects.toThrow(/the lease is held by standby, and this request comes from leader/);
    await give("leader");
    await eventually(
      async () => {
        await leader.as(who).apply(ConfigMap, manifest(ConfigMap, freshName("back"), inSet("shop")), as);
        return true;
      },
      { what: "the first one leads again" },
    );
  });

  test("the ownership fence rejects changes of objects that do not belong to the Release, and admits those of its own", async () => {
    const { leader, who, admin, manifest, inSet, freshName, update, remove } = fixture;
    const asLeader = leader.as(who);
    const own = freshName("own");
    await asLeader.apply(Secret, manifest(Secret, own, inSet("shop")), { mode: "create" });
    await update(asLeader, Secret, own, inSet("shop"));
    // An object of another owner; of another Release, by label only and recorded; and one that is handed over to
    // another.
    const theirs = freshName("theirs");
    const others = freshName("others");
    const labelled = freshName("labelled");
    const handed = freshName("handed");
    await applyObjects(
      manifest(Secret, theirs),
      manifest(Secret, labelled, inSet("shop")),
      manifest(Secret, handed, { annotations: { [stamps.adoptBy]: "release/other" } }),
    );
    await asLeader.apply(Secret, manifest(Secret, others, inSet("other")), { mode: "create" });
    for (const name of [theirs, others, labelled, handed]) {
      await expect(update(asLeader, Secret, name, inSet("shop")), name).rejects.toMatchObject({
        name: "NotOwnedError",
      });
    }
    for (const name of [theirs, labelled, handed])
      await expect(remove(asLeader, Secret, name), name).rejects.toThrow(/leaves alone what belongs to/);
    // Handed over to exactly this one, by its short and by its long name.
    for (const to of ["Release/shop", `release.fairlead.dev/${fixture.namespace}/shop`]) {
      const name = freshName("given");
      await applyObjects(manifest(Secret, name, { annotations: { [stamps.adoptBy]: to } }));
      await update(asLeader, Secret, name, inSet("shop"));
    }
    await remove(asLeader, Secret, own);
    // The same applies to the operator's own requests.
    await expect(update(leader, Secret, theirs, inSet("shop"))).rejects.toMatchObject({
      name: "ApiUnavailableError",
    });
    // It does not apply to other users: neither a user, nor the deployer without impersonation by the operator.
    await update(admin, Secret, theirs, inSet("shop"));
    const byHand = [`--as=system:serviceaccount:${fixture.namespace}:${deployer}`, "-n", fixture.namespace];
    await kubectl(["label", "secret", labelled, "team=a", "--field-manager=fairlead", ...byHand]);
    await kubectl(["delete", "secret", labelled, ...byHand]);
  });

  test("the ownership fence admits the operator's key of records once, and no other Secret of that name", async () => {
    const { namespace, line, admin, leader, who, manifest, inSet, update } = fixture;
    const name = "operator-records";
    const elsewhere = await aNamespace();
    await applyObjects(...recordKeysIn(namespace), ...recordKeysIn(elsewhere));
    const place = [namespace, name] as const;
    const made = { transport: line.transport, clock: systemClock(), random: Math.random };
    const key = new RecordKey({ ...made, place, log: new RecordingLogger() });
    await key.learn(new AbortController().signal);
    expect(key.sealOf("text")).toBeDefined();
    const change = async (where: string) => {
      const response = await line.transport.send({
        method: "PATCH",
        path: `/api/v1/namespaces/${where}/secrets/${name}`,
        contentType: "application/merge-patch+json",
        body: JSON.stringify({ data: { key: "AAAA" } }),
      });
      return `${response.status} ${response.body}`;
    };
    // Its rights in the test cover all namespaces; those of an installation cover only its own.
    for (const where of [namespace, elsewhere])
      expect(await change(where), where).toMatch(/^403 .*leaves alone what belongs to/);
    // A Release that contains this Secret does not change it either.
    await expect(update(leader.as(who), Secret, name, inSet("shop"))).rejects.toThrow(/belongs to/);
    expect(await admin.read({ kind: Secret, namespace, name })).not.toMatchObject(
      manifest(Secret, name, inSet("shop")),
    );
  });

  test("an object without a namespace is handed over to one Release, not to others with the same name", async () => {
    const { leader, who, namespace, manifest, inSet, freshName, update } = fixture;
    const asLeader = leader.as(who);
    const given = async (to: string): Promise<string> => {
      const name = freshName(`given-${namespace}`);
      await applyObjects(manifest(Namespace, name, { annotations: { [stamps.adoptBy]: to } }));
      return name;
    };
    for (const to of ["release/shop", "release.fairlead.dev/shop", "release/elsewhere/shop"]) {
      const refused = update(asLeader, Namespace, await given(to), inSet("shop"));
      await expect(refused, to).rejects.toMatchObject({ name: "NotOwnedError" });
    }
    await update(asLeader, Namespace, await given(`release/${namespace}/shop`), inSet("shop"));
  });

  test("the operator can make a Release an ApplySet, and does not change its spec", async () => {
    const { leader, namespace } = fixture;
    const spec = { source: { url: "https://git.test/r.git" }, render: { manifests: {} } };
    const release = {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "Release",
      metadata: { name: "set", namespace },
    };
    await applyObjects({ ...release, spec });
    const ref = { kind: Release, namespace, name: "set" };
    await leader.patchMetadata(ref, {
      labels: { "applyset.kubernetes.io/id": "applyset-x-v1" },
      annotations: { "applyset.kubernetes.io/tooling": "fairlead/v1" },
      finalizers: ["fairlead.dev/objects"],
    });
    const live = await readObject("releases.fairlead.dev", "set", namespace);
    await leader.patchStatus(ref, live?.metadata.uid ?? "", { revision: "a".repeat(40) });
    const edit = leader.apply(
      Release,
      { ...release, spec: { suspend: true } },
      { mode: "update", uid: live?.metadata.uid ?? "" },
    );
    await expect(edit).rejects.toThrow(/leaves alone what belongs to|belongs to/);
    await leader.patchMetadata(ref, { finalizers: [] });
  });

  test("only the operator may write the status of a Release in the namespaces that it reconciles", async () => {
    const { leader, admin, namespace } = fixture;
    const name = "theirs";
    const release = {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "Release",
      metadata: { name, namespace },
      spec: { source: { url: "https://git.test/r.git" }, render: { manifests: {} } },
    };
    await applyObjects(release);
    const status = { inventory: { entries: ["apps/Deployment/elsewhere/web"] } };
    const patch = JSON.stringify({ status });
    const byHand = ["patch", "release", name, "-n", namespace, "--subresource=status", "--type=merge"];
    await expect(kubectl([...byHand, "-p", patch])).rejects.toThrow(/only the operator writes the status/);
    const live = await readObject("releases.fairlead.dev", name, namespace);
    const ref = { kind: Release, namespace, name };
    const uid = live?.metadata.uid ?? "";
    await expect(admin.patchStatus(ref, uid, status)).rejects.toThrow(/only the operator writes the status/);
    await leader.patchStatus(ref, uid, { inventory: { entries: [] } });
    // In other namespaces another operator does.
    const other = await aNamespace();
    await applyObjects({ ...release, metadata: { name, namespace: other } });
    await kubectl([
      "patch",
      "release",
      name,
      "-n",
      other,
      "--subresource=status",
      "--type=merge",
      "-p",
      patch,
    ]);
  });

  test("an invalid account, or one without permissions, writes nothing", async () => {
    const { leader, manifest, namespace } = fixture;
    const withoutPermissions = leader.as({ namespace, serviceAccountName: "nobody" });
    await expect(
      withoutPermissions.apply(ConfigMap, manifest(ConfigMap, "no"), { mode: "create" }),
    ).rejects.toThrow(`user "system:serviceaccount:${namespace}:nobody" may not patch "configmaps"`);
    expect(() => leader.as({ namespace, serviceAccountName: "" })).toThrow(/Cannot impersonate/);
    expect(await readObject("configmap", "no", namespace)).toBeUndefined();
  });
});
