import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { apiVersionOf } from "../../crds/object.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import { BuildInfo, buildInfo } from "../examples/build-info.ts";
import { applyObjects, eventually, kubectl, readObject, testCluster } from "./fixture.ts";
import { conditionOf, type SeenResource, untilSeen } from "./harness.ts";
import { install } from "./install.ts";
import { aReleaseHarness } from "./release-harness.ts";

const program = join(import.meta.dirname, "build-info-program.ts");
const rights = "build-infos";
const rbac = "rbac.authorization.k8s.io";

beforeAll(() =>
  install(testCluster(), { kinds: [buildInfo], name: rights, values: { releases: { enabled: true } } }),
);

/** An operator of BuildInfos in a namespace, and a repository with two folders. */
async function aFixture() {
  const { namespace, source: remote, start, writes } = await aReleaseHarness({ program, rights });
  const clones = join(remote.folder, "releases");
  const follow = (name: string, spec: object = {}): Promise<unknown> =>
    applyObjects({
      apiVersion: apiVersionOf(BuildInfo),
      kind: BuildInfo.kind,
      metadata: { name, namespace },
      spec: { url: `file://${remote.path}`, path: name, ...spec },
    });
  const until = (name: string, what: string, holds: (found: SeenResource) => boolean) =>
    untilSeen(BuildInfo, namespace, { name, what: `${name} ${what}`, holds });
  const untilAt = (name: string, commit: string) =>
    until(name, `is ready at ${commit}`, (found) => {
      return found.status?.["revision"] === commit && conditionOf(found, "Ready")?.status === "True";
    });
  const untilNot = (name: string, reason: string) =>
    until(name, `is not ready: ${reason}`, (found) => conditionOf(found, "Ready")?.reason === reason);
  return { namespace, remote, clones, start, follow, untilAt, untilNot, writes };
}

const dataOf = async (name: string, namespace: string): Promise<unknown> =>
  (await readObject("configmap", name, namespace))?.["data"];

test("a kind follows a git source: its head, and a push of its own folder", async () => {
  const { namespace, remote, clones, start, follow, untilAt, writes } = await aFixture();
  const first = remote.commitByOthers({ "web/x": "1", "api/x": "1" });
  const operator = await start();
  await follow("web");
  await follow("api");
  await untilAt("web", first);
  await untilAt("api", first);
  expect(await dataOf("web", namespace)).toEqual({ revision: first });

  const before = await writes();
  const second = remote.commitByOthers({ "web/x": "2" });
  await untilAt("web", second);
  // The record is written before the objects, so the status contains the commit a moment earlier than the cluster.
  const written = await eventually(
    async () => {
      const lines = (await writes()).slice(before.length);
      return lines.length >= 3 && lines;
    },
    { what: "the status is written after the ConfigMap" },
  );
  // The other folder is unchanged: nothing was written for it.
  expect(written).toEqual([
    "patch buildinfos/status web 200",
    "patch configmaps web 200",
    "patch buildinfos/status web 200",
  ]);
  expect(await dataOf("web", namespace)).toEqual({ revision: second });

  // A restart with converged resources writes nothing, although the clone and its history were deleted.
  await operator.stop();
  rmSync(clones, { recursive: true });
  await kubectl(["annotate", "buildinfo", "web", "-n", namespace, "fairlead.dev/requested-at=now"]);
  const settled = await writes();
  const next = await start();
  await next.untilLogged("Watching");
  const third = remote.commitByOthers({ "api/x": "2" });
  await untilAt("api", third);
  await next.stop();
  expect((await writes()).slice(settled.length).filter((line) => line.includes(" web "))).toEqual([]);
});

test("a source that a policy refuses is reported, and followed when the policy allows it", async () => {
  const { namespace, remote, start, follow, untilAt, untilNot } = await aFixture();
  const commit = remote.commitByOthers({ "web/x": "1" });
  onTestFinished(async () => void (await kubectl(["delete", "relpol", namespace, "--ignore-not-found"])));
  const policy = (sources: readonly string[]): Promise<unknown> =>
    applyObjects({
      apiVersion: apiVersionOf(ReleasePolicy),
      kind: ReleasePolicy.kind,
      metadata: { name: namespace },
      spec: { rules: [{ namespaces: { names: [namespace] }, sources }] },
    });
  await policy([]);
  await start();
  await follow("web");
  const refused = await untilNot("web", "PolicyRefused");
  expect(conditionOf(refused, "Sourced")?.message).toContain(`Refused by ReleasePolicy ${namespace}, rule 1`);
  expect(await dataOf("web", namespace)).toBeUndefined();

  await policy([`file://${remote.folder}/`]);
  await untilAt("web", commit);

  // What was followed stays when it is refused again.
  await policy([]);
  await untilNot("web", "PolicyRefused");
  expect(await dataOf("web", namespace)).toEqual({ revision: commit });
});

test("the Secret of a source is read with the account of the resource", async () => {
  const { namespace, remote, start, follow, untilAt, untilNot } = await aFixture();
  const commit = remote.commitByOthers({ "web/x": "1" });
  const metadata = { name: "git-reader", namespace };
  await applyObjects(
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "git", namespace }, stringData: { password: "x" } },
  );
  await start();
  await follow("web", { secret: "git", serviceAccountName: "git-reader" });
  const found = await untilNot("web", "SourceInvalid");
  const message = conditionOf(found, "Sourced")?.message;
  expect(message).toContain(`Secret "${namespace}/git" cannot be read`);
  expect(message).toContain(`system:serviceaccount:${namespace}:git-reader`);

  await applyObjects(
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["git"], verbs: ["get"] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "git-reader" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  );
  // A user who does not wait for the next attempt.
  const ask = ["annotate", "buildinfo", "web", "-n", namespace, "fairlead.dev/requested-at=now"];
  await kubectl(ask);
  await untilAt("web", commit);
});
