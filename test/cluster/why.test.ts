import { describe, expect, onTestFinished, test } from "vitest";
import type { WhyReport } from "../../cli/why/why-report.ts";
import { why } from "./ask-why.ts";
import { applyObjects, eventually, kubectl } from "./fixture.ts";
import { anOperatorUser } from "./operator-user.ts";
import { aConfigMapFile, aReleaseHarness, type ReleaseHarness } from "./release-harness.ts";

/** A Release of one folder. */
async function aRelease(harness: ReleaseHarness, name: string, objects: Readonly<Record<string, object>>) {
  const files = Object.entries(objects).map(([file, object]) => [`${name}/${file}.json`, object]);
  const id = harness.commit(Object.fromEntries(files));
  await harness.release(name);
  return id;
}

const mapFiles = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, aConfigMapFile(name, {})]));

describe("fairlead why", () => {
  test("exits 0 for a Release with nothing pending", async () => {
    const harness = await aReleaseHarness();
    const commit = await aRelease(harness, "well", mapFiles("well"));
    await harness.start();
    await harness.untilAt("well", commit);
    const { code, text } = await why("release/well", harness.namespace);
    expect(text).toMatch(
      /^Release \S+\/well is Ready at [0-9a-f]{10} \(Change\)\nWants 1 object: 1 up to date, 0 pending\n\nWaiting for nothing\n/,
    );
    expect(text).toMatch(/- commit [0-9a-f]{10} by .* \(Change\) was deployed at .*: Ready$/);
    expect(code).toBe(0);
    // A name alone, or a prefix of one, means a Release.
    expect(await why("we", harness.namespace)).toEqual({ code, text });
  });

  test("shows the gate that an object waits for", async () => {
    const harness = await aReleaseHarness();
    const { namespace } = harness;
    const suffix = namespace.slice(-8);
    const definition = (name: string) => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${name}s${suffix}.tests.fairlead.dev` },
      spec: {
        group: "tests.fairlead.dev",
        scope: "Namespaced",
        // One of two kinds with the same short name is not established.
        names: {
          plural: `${name}s${suffix}`,
          singular: `${name}${suffix}`,
          kind: `${name}${suffix}`,
          shortNames: [`x${suffix}`],
        },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    });
    const [first, second] = [definition("first"), definition("second")];
    const names = [first, second].map(({ metadata }) => metadata.name);
    onTestFinished(
      async () => void (await kubectl(["delete", "crd", ...names, "--ignore-not-found", "--wait=false"])),
    );
    await applyObjects(first);
    await kubectl(["wait", "crd", names[0] ?? "", "--for=condition=Established", "--timeout=180s"]);
    await aRelease(harness, "gate", {
      definition: second,
      object: { apiVersion: "tests.fairlead.dev/v1", kind: `second${suffix}`, metadata: { name: "late" } },
      ...mapFiles("early"),
    });
    await harness.start();
    await harness.until("gate", { status: "False", message: /waits for CustomResourceDefinition/ });
    const { code, text } = await why("release/gate", namespace);
    expect(text).toMatch(new RegExp(`hold +second${suffix} \\S+/late +waits for CustomResourceDefinition `));
    expect(text).toMatch(/Waiting for:\n- \w+, since \S+Z: .*waits for CustomResourceDefinition/);
    expect(code).toBe(1);
  });

  test("prints a command that approves a held prune", async () => {
    const harness = await aReleaseHarness();
    const { namespace } = harness;
    const names = ["a", "b", "c", "d", "e", "f"];
    const first = await aRelease(harness, "prune", mapFiles(...names));
    await harness.start();
    await harness.untilAt("prune", first);
    const gone = Object.fromEntries(names.slice(1).map((name) => [`prune/${name}.json`, undefined]));
    const second = harness.commit(gone);
    await harness.until("prune", { status: "False", reason: "PruneHeld" });
    const { code, text } = await why("release/prune", namespace);
    expect(text).toMatch(/hold +ConfigMap \S+\/b +its deletion needs approval/);
    expect(text).toMatch(/- PruneHeld, since .*5 objects/);
    expect(code).toBe(1);
    const [, command = ""] = /\n- kubectl (annotate release prune .*?) {3}#/.exec(text) ?? [];
    await kubectl(command.split(" "));
    await harness.untilAt("prune", second);
    await eventually(async () => (await why("release/prune", namespace)).code === 0, {
      what: "the Release waits for nothing",
    });
  });

  test("prints a command that hands over an object of another owner", async () => {
    const harness = await aReleaseHarness();
    const { namespace } = harness;
    await applyObjects({
      ...aConfigMapFile("theirs", { of: "them" }),
      metadata: { name: "theirs", namespace },
    });
    const commit = await aRelease(harness, "owner", mapFiles("theirs", "ours"));
    await harness.start();
    await harness.until("owner", { status: "False", reason: "NotOwned" });
    const { code, text } = await why("release/owner", namespace);
    expect(text).toMatch(/Wants 2 objects: 1 up to date, 1 pending/);
    expect(text).toMatch(/hold +ConfigMap \S+\/theirs +it belongs to another owner, so it is not changed/);
    expect(text).toMatch(
      /- NotOwned, since .*\n {2}until the object is deleted or handed over; checked every 30 s/,
    );
    expect(code).toBe(1);
    const [, command = ""] = /\n- kubectl (annotate configmap .*?) {3}#/.exec(text) ?? [];
    await kubectl(command.split(" "));
    await harness.untilAt("owner", commit);
    expect((await why("release/owner", namespace)).code).toBe(0);
  });

  test("shows a dependency that is not ready, and its broken source", async () => {
    const harness = await aReleaseHarness();
    const { namespace } = harness;
    const commit = harness.commit({ "app/app.json": aConfigMapFile("app", {}) });
    await harness.start();
    await harness.release("db");
    await harness.release("app", { dependsOn: [{ name: "db" }] });
    await harness.until("app", { status: "False", reason: "DependencyNotReady" });
    await harness.until("db", { status: "False", reason: "SourceNotFound" });
    const { code, text } = await why("app", namespace);
    expect(text).toMatch(/- DependencyNotReady, since \S+: Waiting: Release \S+\/db is not ready/);
    expect(code).toBe(1);
    expect(text).toMatch(new RegExp(`\\n- fairlead why release/db --namespace=${namespace}`));
    // The source of that one is broken.
    const broken = await why("release/db", namespace);
    expect(broken.text).toMatch(/- SourceNotFound, since .*\n {2}until the source is fixed; polled every 1s/);
    expect(broken.text).toMatch(/Next steps:\n- fairlead reconcile db --wait/);
    expect(broken.code).toBe(1);
    harness.commit({ "db/db.json": aConfigMapFile("db", {}) });
    await harness.untilAt("app", commit);
    expect((await why("app", namespace)).code).toBe(0);
  });

  test("shows files of the source that cannot be parsed", async () => {
    const harness = await aReleaseHarness();
    harness.commit({ "files/a.yaml": "a: [b" });
    await harness.start();
    await harness.release("files");
    await harness.until("files", { status: "False", reason: "RenderFailed" });
    const { code, text } = await why("release/files", harness.namespace);
    expect(text).toMatch(/- RenderFailed, since .*a\.yaml/);
    expect(text).toMatch(
      /Next steps:\n- fairlead diff files --source=\. .*\n- fairlead reconcile files --wait/,
    );
    expect(code).toBe(1);
  });

  test("lists what the user may not read, and exits 2", async () => {
    const harness = await aReleaseHarness();
    const { namespace } = harness;
    const commit = await aRelease(harness, "rights", mapFiles("rights"));
    await harness.start();
    await harness.untilAt("rights", commit);
    await kubectl([
      "create",
      "role",
      "reader",
      "-n",
      namespace,
      "--verb=get,list",
      "--resource=releases.fairlead.dev",
    ]);
    const binding = ["create", "rolebinding", "reader", "-n", namespace, "--role=reader"];
    await kubectl([...binding, `--serviceaccount=${namespace}:reader`]);
    const { kubeconfigPath } = await anOperatorUser(namespace, { rights: "none", name: "reader" });
    const { code, text } = await why("release/rights", namespace, kubeconfigPath);
    expect(text).toMatch(
      /Unknown:\n- Cannot read ConfigMap \S+\/rights: user "\S+:reader" may not get "configmaps"/,
    );
    expect(code).toBe(2);
    expect(text).toMatch(/Wants 1 object: 0 up to date, 0 pending, 1 unknown\n/);
    expect(text).toContain("Waiting for nothing, as far as known");
    const json = await why("release/rights", namespace, kubeconfigPath, { output: "json" });
    expect((JSON.parse(json.text) as WhyReport).unknown).toHaveLength(2);
  });
});

test("fairlead why explains a resource that no operator has reconciled", async () => {
  const { namespace } = await aReleaseHarness();
  await applyObjects({
    apiVersion: "apps.jicki.cn/v1alpha1",
    kind: "PodSet",
    metadata: { name: "web", namespace },
    spec: { size: 1 },
  });
  const { code, text } = await why("podset/web", namespace);
  expect(text).toMatch(/^PodSet \S+\/web is new\nWants 1 object: 0 up to date, 1 pending\n/);
  expect(text).toMatch(/create +Deployment \S+\/web +it does not exist/);
  expect(text).toMatch(/- Operator: The operator has not reconciled it yet/);
  expect(code).toBe(1);
  await expect(why("podset/none", namespace)).rejects.toThrow(/Cannot find PodSet "none": .*there are web/);
});
