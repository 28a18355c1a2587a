import { describe, expect, test } from "vitest";
import { EasyService } from "../../crds/easy-service.ts";
import { Memcached } from "../../crds/memcached.ts";
import type { KubernetesObject, LiveObject } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import type { AuditEvent } from "./audit-log.ts";
import { auditEvents, eventually, kubectl, readObject } from "./fixture.ts";
import { children, handEdits, resources } from "./hand-edits.ts";
import { applyResource, aStory, untilCondition, untilGone, untilReady } from "./story.ts";

describe("what was done to a child by hand", () => {
  test("is undone within 2 s, be it a deletion or an edit of a field that we set", async () => {
    const { namespace, start } = await aStory();
    await start();
    for (const { kind, name, spec } of resources) await applyResource(kind, namespace, { name, ...spec });
    for (const { kind, name } of resources) await untilReady(kind, namespace, name);

    for (const child of children) {
      const { metadata } = await childNamed(child, namespace);
      const since = new Date();
      await kubectl(["delete", child, "-n", namespace, "--wait=false"]);
      await eventually(async () => (await childNamed(child, namespace)).metadata.uid !== metadata.uid, {
        what: `${child} is back`,
      });
      await expectAnswered(child, namespace, since);
    }
    for (const { kind, name } of resources) await untilReady(kind, namespace, name);

    for (const { what, child, patch } of handEdits) {
      const before = await childNamed(child, namespace);
      const since = new Date();
      await patchChild(child, namespace, patch);
      await eventually(
        async () => {
          expect(desiredOf(await childNamed(child, namespace))).toEqual(desiredOf(before));
          return true;
        },
        { what: `${what} of ${child} is as it was`, timeoutMs: 10_000 },
      );
      await expectAnswered(child, namespace, since);
    }
  }, 240_000);

  test("stays where it only adds, also when the resource is edited", async () => {
    const { namespace, start } = await aStory();
    await start();
    const [{ spec }] = resources.slice(-1) as [(typeof resources)[number]];
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

  test("is undone after the start of an operator that was down", async () => {
    const { namespace, start } = await aStory();
    const first = await start();
    for (const { kind, name, spec } of resources) await applyResource(kind, namespace, { name, ...spec });
    for (const { kind, name } of resources)
      await untilCondition(kind, namespace, { type: "Published", name });
    for (const { kind, name } of resources) await untilReady(kind, namespace, name);
    expect(await first.stop()).toBe(0);

    const edited = ["deployment/web", "service/web", "cronjob/tick"];
    const before = await Promise.all(edited.map((child) => childNamed(child, namespace)));
    for (const { child, patch } of handEdits.filter((edit) => edited.includes(edit.child))) {
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
      { what: "the edited children are as they were" },
    );
    for (const { kind, name } of resources) await untilReady(kind, namespace, name);
    expect(await childNamed("deployment/cache-deployment", namespace)).toMatchObject({
      spec: { replicas: 2 },
    });
    await childNamed("job/echo", namespace);
    await childNamed("deployment/set", namespace);
  });
});

test("a rendered file that somebody edits or deletes in git is back with the next change of the branch", async () => {
  const { namespace, repository, start } = await aStory();
  await start();
  for (const name of ["a", "b", "c"]) await applyResource(PodSet, namespace, { name, size: 1 });
  for (const name of ["a", "b", "c"]) await untilCondition(PodSet, namespace, { type: "Published", name });
  const fileOf = (name: string) => `${namespace}/podsets.apps.jicki.cn/${name}/deployment-${name}.yaml`;
  const before = ["a", "b"].map((name) => repository.read(fileOf(name)));
  const stranger = "README.md";
  repository.remote.commitByOthers({
    [fileOf("a")]: "by: hand\n",
    [fileOf("b")]: undefined,
    [stranger]: "mine\n",
  });

  await applyResource(PodSet, namespace, { name: "c", size: 2 });
  await eventually(() => repository.read(fileOf("c")).includes("replicas: 2"), { what: "the change of c" });
  await eventually(
    () => {
      expect(repository.files()).toContain(fileOf("b"));
      expect(["a", "b"].map((name) => repository.read(fileOf(name)))).toEqual(before);
      return true;
    },
    { what: "the files of a and b are as they were" },
  );
  expect(repository.read(stranger)).toBe("mine\n");
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

/** What people read of an object, without what the server counts. */
function desiredOf({ status: _, spec, metadata }: KubernetesObject): object {
  const { labels, annotations, ownerReferences } = metadata;
  const { "deployment.kubernetes.io/revision": __, ...kept } = annotations ?? {};
  return { spec, labels, annotations: kept, ownerReferences };
}

/** The operator's answer to a person's write came within 2 s, by the API server's clock. */
async function expectAnswered(child: string, namespace: string, since: Date): Promise<void> {
  const [type, name] = child.split("/");
  const of = ({ objectRef, responseStatus }: AuditEvent) =>
    objectRef?.namespace === namespace &&
    objectRef.resource === `${type}s` &&
    objectRef.name === name &&
    objectRef.subresource === undefined &&
    (responseStatus?.code ?? 500) < 300;
  const answerMs = await eventually(
    async () => {
      const events = (await auditEvents({ since })).filter(of);
      const cause = events.find(({ user, verb }) => user.username === "admin" && /patch|delete/.test(verb));
      const answer = events.find(
        ({ user, verb, requestReceivedTimestamp: at }) =>
          user.username === "operator" && verb === "patch" && at > (cause?.requestReceivedTimestamp ?? ""),
      );
      if (cause === undefined || answer === undefined) return undefined;
      return Date.parse(answer.requestReceivedTimestamp) - Date.parse(cause.requestReceivedTimestamp);
    },
    { what: `the audit log tells of ${child}` },
  );
  expect(answerMs).toBeLessThan(2_000);
}
