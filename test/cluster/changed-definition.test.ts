import { expect, onTestFinished, test } from "vitest";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { apiVersionOf, groupKindOf, type KubernetesObject } from "../../crds/object.ts";
import { applyObjects, eventually, kubectl, readObject } from "./fixture.ts";
import { untilReady } from "./harness.ts";
import { stampIn } from "./stamp-kind.ts";
import { aStampHarness, manyNames } from "./stamps.ts";

test("resources that are created right after a change of their definition are read completely, without a restart", async () => {
  // Given an operator that runs while the cluster has an old definition without the field `text`
  const ownGroup = `changed-${crypto.randomUUID().slice(0, 8)}.tests.fairlead.dev`;
  const { definition } = stampIn(ownGroup);
  const name = groupKindOf(definition);
  onTestFinished(
    async () => void (await kubectl(["delete", "crd", name, "--ignore-not-found", "--wait=false"])),
  );
  const harness = await aStampHarness({ ownGroup });
  const crd = customResourceDefinitionOf(definition);
  await replace(name, withoutText(crd));
  const probe = { ...aStamp("probe"), metadata: { name: "probe", namespace: harness.namespace } };
  await untilTaken(probe, false);
  const operator = await harness.start();
  await eventually(
    () => operator.log.some(({ message, group }) => message === "Watching" && group === ownGroup),
    { what: "it watches its kind" },
  );

  // When the definition gets the field, and resources use it at once
  await replace(name, crd);
  await untilTaken(probe, true);
  const names = manyNames(20);
  for (const one of names) await applyObjects(aStamp(one));

  // Then each is reconciled with its field
  for (const one of names) {
    await untilReady(definition, harness.namespace, one);
    expect(await readObject("configmap", `${one}-0`, harness.namespace)).toMatchObject({
      data: { text: "all of it" },
    });
  }

  function aStamp(of: string): KubernetesObject {
    const spec = { text: "all of it", copies: 1 };
    const metadata = { name: of, namespace: harness.namespace };
    return { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata, spec };
  }
});

async function replace(name: string, crd: KubernetesObject): Promise<void> {
  const resourceVersion = (await readObject("crd", name))?.metadata.resourceVersion;
  await kubectl("replace -f -", { input: { ...crd, metadata: { ...crd.metadata, resourceVersion } } });
}

/** Waits until the API server accepts an object with the field, or rejects it. */
async function untilTaken(object: KubernetesObject, isTaken: boolean): Promise<void> {
  const dryRun = "create --dry-run=server --validate=strict -f -";
  const isAccepted = () =>
    kubectl(dryRun, { input: object }).then(
      () => true,
      () => false,
    );
  await eventually(async () => (await isAccepted()) === isTaken, {
    what: `a field is known: ${isTaken}`,
    intervalMs: 1,
  });
}

function withoutText(crd: KubernetesObject): KubernetesObject {
  const text = JSON.stringify(crd, (key, value) => {
    if (key === "properties" && value.text !== undefined) return { copies: value.copies };
    if (key !== "required") return value;
    const required = value.filter((name: string) => name !== "text");
    return required.length === 0 ? undefined : required;
  });
  return JSON.parse(text) as KubernetesObject;
}
