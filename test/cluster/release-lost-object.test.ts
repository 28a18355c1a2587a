import { expect, test } from "vitest";
import { eventually, kubectl, readObject } from "./fixture.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

test("an object of a Release that a user deletes is recreated with the permissions of an installation", async () => {
  const harness = await aReleaseHarness();
  const { namespace } = harness;
  const first = harness.commit({
    "shop/a.json": aConfigMapFile("a", {}),
    "shop/b.json": aConfigMapFile("b", {}),
  });
  const operator = await harness.start();
  await harness.release("shop");
  await harness.untilAt("shop", first);
  const uid = (await readObject("configmaps", "b", namespace))?.metadata.uid;

  await kubectl(["delete", "configmap", "b", "-n", namespace]);

  await eventually(
    async () => {
      const now = (await readObject("configmaps", "b", namespace))?.metadata.uid;
      return now !== undefined && now !== uid;
    },
    { what: "it is recreated" },
  );
  await eventually(() => operator.log.some(({ done }) => done === "Restored"), { what: "it is reported" });
  await harness.until("shop", { status: "True", reason: "Reconciled" });
  expect(operator.log.filter(({ message }) => message.startsWith("Reconcile failed"))).toEqual([]);
});
