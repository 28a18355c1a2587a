import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiVersionOf, type KubernetesObject } from "../../crds/object.ts";
import { backup } from "../examples/backup.ts";
import { fence } from "./fenced.ts";
import { applyObjects, eventually, kubectl, kubectlJson, readObject, testCluster } from "./fixture.ts";
import { aHarness, untilCondition, untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { isWrite, lineOf } from "./operator-user.ts";

const { definition } = backup;
const program = join(import.meta.dirname, "backup-program.ts");

interface SeenPod extends KubernetesObject {
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
  readonly status?: { readonly phase?: string };
}

/** A fenced operator for Backups, and one of these. */
async function aBackupHarness() {
  await install(testCluster(), { kinds: [backup], name: "backups" });
  const { namespace, repository, start } = await aHarness({ program });
  const fenced = await fence(namespace, { kinds: [backup], rights: "backups" });
  const pod = await fenced.aPod("operator-1");
  const folder = `${namespace}/backups.example.dev/web/`;
  const read = <T extends KubernetesObject>(type: string, name: string) =>
    readObject<T>(type, name, namespace);
  return {
    namespace,
    repository,
    start: (environment: NodeJS.ProcessEnv = {}) =>
      start(fenced.args, { ...pod, environment: { ...pod.environment, ...environment } }),
    /** Creates or edits the Backup, and waits until the operator has reported that it is Ready. */
    edit: async (spec: object, labels: Readonly<Record<string, string>> = {}) => {
      const metadata = { name: "web", namespace, labels };
      await applyObjects({ apiVersion: apiVersionOf(definition), kind: definition.kind, metadata, spec });
      return await untilReady(definition, namespace);
    },
    podOf: (request: string) => read<SeenPod>("pod", `web-${request}`),
    receipts: async () =>
      (await kubectlJson<{ items: KubernetesObject[] }>(["get", "configmaps", "-n", namespace])).items
        .map(({ metadata: { name } }) => name)
        .filter((name) => name.startsWith("web-"))
        .sort(),
    files: () => repository.files(folder).map((path) => path.slice(folder.length)),
    writesTo: async (resource: string) =>
      (await pod.requests())
        .filter((event) => isWrite(event) && event.objectRef?.resource === resource)
        .map(lineOf),
  };
}

const running = { "fairlead.dev/simulate": "endless" };
const ending = { "fairlead.dev/simulate": "none" };

describe("a Backup, with an account that is kept, receipts that are created once, and a pod that runs", () => {
  test("runs once for each request, independent of edits, deletions and restarts", async () => {
    const { namespace, start, edit, podOf, receipts, files, writesTo, repository } = await aBackupHarness();
    const operator = await start();

    // A running pod is not in git, and neither an edit of its spec nor of its template changes it.
    await edit({ image: "copy:1", request: "r1" }, running);
    const uid = (await podOf("r1"))?.metadata.uid;
    const { status: before } = await untilCondition(definition, namespace, { type: "Published" });
    expect(files()).toEqual(["serviceaccount-web.yaml"]);
    const commits = repository.commits();
    const { status } = await edit({ image: "copy:2", request: "r1" }, running);
    expect((await podOf("r1"))?.spec.containers[0]?.image).toBe("copy:1");
    expect(await writesTo("pods")).toEqual(["patch pods web-r1 201"]);
    expect(status?.published).toEqual(before?.published);
    expect(repository.commits()).toBe(commits);

    // Its labels are corrected. With this one it ends, and the receipt is created and published.
    await edit({ image: "copy:2", request: "r1" }, ending);
    await eventually(async () => (await podOf("r1"))?.status?.phase === "Succeeded", {
      what: "the pod ends",
    });
    expect((await podOf("r1"))?.metadata).toMatchObject({ uid, labels: ending });
    await eventually(async () => (await receipts()).join() === "web-r1", { what: "the receipt is created" });
    await eventually(() => files().join() === "configmap-web-r1.yaml,serviceaccount-web.yaml", {
      what: "the receipt is published",
    });
    expect(await writesTo("pods")).toEqual(["patch pods web-r1 201", "patch pods web-r1 200"]);

    // A user deletes the ended pod, the operator restarts, another image is requested: it does not run again.
    await kubectl(["delete", "pod", "web-r1", "-n", namespace, "--now"]);
    await operator.stop();
    const second = await start();
    await edit({ image: "copy:3", request: "r1" }, ending);
    expect(await podOf("r1")).toBeUndefined();

    // A receipt is never changed; a running pod of another request is deleted, and so are the oldest receipts.
    const edited = JSON.stringify({ data: { request: "edited" } });
    await kubectl(["patch", "configmap", "web-r1", "-n", namespace, "--type=merge", "-p", edited]);
    await edit({ image: "copy:3", request: "r2" }, running);
    await edit({ image: "copy:3", request: "r3" }, ending);
    await eventually(async () => (await podOf("r2")) === undefined, { what: "the pod of r2 is deleted" });
    await eventually(async () => (await receipts()).join() === "web-r1,web-r3", {
      what: "r3 has its receipt",
    });
    expect(await readObject("configmap", "web-r1", namespace)).toMatchObject({ data: { request: "edited" } });
    for (const request of ["r4", "r5"]) {
      await edit({ image: "copy:3", request }, ending);
      await eventually(async () => (await receipts()).includes(`web-${request}`), {
        what: `${request} has its receipt`,
      });
    }
    await eventually(async () => (await receipts()).join() === "web-r3,web-r4,web-r5", {
      what: "the oldest receipt is deleted",
    });
    // Ended pods stay, and none was ever published.
    for (const request of ["r3", "r4", "r5"]) expect((await podOf(request))?.status?.phase).toBe("Succeeded");
    await eventually(() => files().join() === "configmap-web-r5.yaml,serviceaccount-web.yaml", {
      what: "git contains the objects of the chart",
    });
    expect(repository.log().flatMap(({ paths }) => paths.filter((path) => path.includes("/pod-")))).toEqual(
      [],
    );

    // A release that no longer publishes receipts removes them from git, and changes nothing else.
    await second.stop();
    await start({ HIDE_RECEIPTS: "1" });
    await eventually(() => files().join() === "serviceaccount-web.yaml", {
      what: "the receipts are removed from git",
    });
    expect(await receipts()).toEqual(["web-r3", "web-r4", "web-r5"]);
  });
});
