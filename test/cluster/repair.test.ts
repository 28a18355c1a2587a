import { describe, expect, test } from "vitest";
import { EasyService } from "../../crds/easy-service.ts";
import { Memcached } from "../../crds/memcached.ts";
import type { KubernetesObject, LiveObject } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import type { AuditEvent } from "./audit-log.ts";
import { auditEvents, eventually, kubectl, readObject } from "./fixture.ts";
import { aHarness, applyResource, untilCondition, untilGone, untilReady } from "./harness.ts";
import { children, type EditedResource, manualEdits, someResources } from "./manual-edits.ts";

describe("a manual change of a child", () => {
  test("is reverted within 2 s, for a deletion and for an edit of a field that the operator sets", async () => {
    const { namespace, start } = await aHarness();
    await start();
    const resources = someResources();
    for (const { kind, name, spec } of resources) await applyResource(kind, namespace, { name, ...spec });
    for (const { kind, name } of resources) await untilReady(kind, namespace, name);

    const since = new Date();
    await Promise.all(
      children.map(async (child) => {
        const { metadata } = await childNamed(child, namespace);
        await kubectl(["delete", child, "-n", namespace, "--wait=false"]);
        await eventually(async () => (await childNamed(child, namespace)).metadata.uid !== metadata.uid, {
          what: `${child} is recreated`,
        });
        for (const { what, patch } of manualEdits.filter((edit) => edit.child === child)) {
          const before = await childNamed(child, namespace);
          await patchChild(child, namespace, patch);
          await eventually(
            async () => {
              expect(desiredOf(await childNamed(child, namespace))).toEqual(desiredOf(before));
              return true;
            },
            { what: `${what} of ${child} is restored` },
          );
        }
      }),
    );
    await expectAnswers(namespace, since);
  });

  test("stays if it only adds, also when the resource is edited", async () => {
    const { namespace, start } = await aHarness();
    await start();
    const [{ spec }] = someResources().slice(-1) as [EditedResource];
    await applyResource(EasyService, namespace, spec);
    await untilReady(EasyService, namespace);
    const sidecar = { name: "sidecar", image: "example.dev/sidecar:1" };
    await patchChild("deployment/web", namespace, {
      metadata: { labels: { team: "a" }, annotations: { note: "mine" } },
      spec: {
        template: {
          metadata: { annotations: { restartedAt: "now" } },
          spec: { containers: [sidecar, { name: "web", env: [{ name: "MINE", value: "1" }] }] },
        },
      },
    });
    await applyResource(EasyService, namespace, { ...spec, image: "example.dev/web:2" });
    await untilReady(EasyService, namespace);
    expect(await readObject("deployment", "web", namespace)).toMatchObject({
      metadata: { labels: { team: "a", app: "web" }, annotations: { note: "mine" } },
      spec: {
        template: {
          metadata: { annotations: { restartedAt: "now" } },
          spec: {
            containers: expect.arrayContaining([
              expect.objectContaining(sidecar),
              expect.objectContaining({
                image: "example.dev/web:2",
                env: expect.arrayContaining([
                  { name: "A", value: "1" },
                  { name: "MINE", value: "1" },
                ]),
              }),
            ]),
          },
        },
      },
    });
  });

  test("is reverted after the start of an operator that was down", async () => {
    const { namespace, start } = await aHarness();
    const first = await start();
    const resources = someResources();
    for (const { kind, name, spec } of resources) await applyResource(kind, namespace, { name, ...spec });
    for (const { kind, name } of resources)
      await untilCondition(kind, namespace, { type: "Published", name });
    for (const { kind, name } of resources) await untilReady(kind, namespace, name);
    expect(await first.stop()).toBe(0);

    const edited = ["deployment/web", "service/web", "cronjob/tick"];
    const before = await Promise.all(edited.map((child) => childNamed(child, namespace)));
    for (const { child, patch } of manualEdits.filter(
      // Without owner and label of its set, its owner could not be determined.
      ({ child: each, what }) => edited.includes(each) && what !== "its owner",
    )) {
      await patchChild(child, namespace, patch);
    }
    await kubectl(["delete", "job/echo", "deployment/set", "-n", namespace]);
    await untilGone("job", "echo", namespace);
    await applyResource(Memcached, namespace, { name: "cache", size: 2 });

    await start();
    await eventually(
      async () => {
        const after = await Promise.all(edited.map((child) => childNamed(child, namespace)));
        expect(after.map(desiredOf)).toEqual(before.map(desiredOf));
        return true;
      },
      { what: "the edited children are restored" },
    );
    for (const { kind, name } of resources) await untilReady(kind, namespace, name);
    expect(await childNamed("deployment/cache-deployment", namespace)).toMatchObject({
      spec: { replicas: 2 },
    });
    await childNamed("job/echo", namespace);
    await childNamed("deployment/set", namespace);
  });
});

test("a rendered file that a user edits or deletes in git is restored with the next change of the branch", async () => {
  const { namespace, repository, start } = await aHarness();
  await start();
  for (const name of ["a", "b", "c"]) await applyResource(PodSet, namespace, { name, size: 1 });
  for (const name of ["a", "b", "c"]) await untilCondition(PodSet, namespace, { type: "Published", name });
  const fileOf = (name: string) => `${namespace}/podsets.apps.jicki.cn/${name}/deployment-${name}.yaml`;
  const before = ["a", "b"].map((name) => repository.read(fileOf(name)));
  const foreignFile = "README.md";
  repository.remote.commitByOthers({
    [fileOf("a")]: "by: hand\n",
    [fileOf("b")]: undefined,
    [foreignFile]: "mine\n",
  });

  await applyResource(PodSet, namespace, { name: "c", size: 2 });
  await eventually(() => repository.read(fileOf("c")).includes("replicas: 2"), { what: "the change of c" });
  await eventually(
    () => {
      expect(repository.files()).toContain(fileOf("b"));
      expect(["a", "b"].map((name) => repository.read(fileOf(name)))).toEqual(before);
      return true;
    },
    { what: "the files of a and b are restored" },
  );
  expect(repository.read(foreignFile)).toBe("mine\n");
});

async function childNamed(child: string, namespace: string): Promise<LiveObject> {
  const [type = "", name = ""] = child.split("/");
  const found = await readObject<LiveObject>(type, name, namespace);
  if (found === undefined) throw new Error(`there is no ${child}`);
  return found;
}

function patchChild(child: string, namespace: string, patch: object): Promise<string> {
  const body = JSON.stringify(patch);
  return kubectl(["patch", child, "-n", namespace, "--field-manager=person", "--type=strategic", "-p", body]);
}

/** The fields of an object that users read, without the server's counters. */
function desiredOf({ status: _, spec, metadata }: KubernetesObject): object {
  const { labels, annotations, ownerReferences } = metadata;
  const { "deployment.kubernetes.io/revision": __, ...kept } = annotations ?? {};
  return { spec, labels, annotations: kept, ownerReferences };
}

/** The operator reacted to each write of a user within 2 s, by the API server's clock. */
async function expectAnswers(namespace: string, since: Date): Promise<void> {
  const writes = (await auditEvents({ since, namespace })).filter(
    ({ verb, objectRef, responseStatus }) =>
      objectRef?.subresource === undefined &&
      (verb === "patch" || verb === "delete") &&
      (responseStatus?.code ?? 500) < 300,
  );
  const isOf = (one: AuditEvent, other: AuditEvent) =>
    one.objectRef?.resource === other.objectRef?.resource && one.objectRef?.name === other.objectRef?.name;
  const isPersons = ({ userAgent = "" }: AuditEvent) => userAgent.startsWith("kubectl");
  const delaysMs = writes.filter(isPersons).map((cause) => {
    const asked = Date.parse(cause.requestReceivedTimestamp);
    const answers = writes
      .filter((answer) => answer.user.username === "operator" && isOf(cause, answer))
      .map((answer) => Date.parse(answer.requestReceivedTimestamp) - asked);
    return Math.min(...answers.filter((delay) => delay >= 0));
  });
  expect(delaysMs).toHaveLength(children.length + manualEdits.length);
  expect(Math.max(...delaysMs)).toBeLessThan(2_000);
}
