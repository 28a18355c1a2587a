import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { apiVersionOf, groupKindOf } from "../../crds/object.ts";
import { applyObjects, eventually, kubectl, testCluster } from "./fixture.ts";
import { untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { stampIn } from "./stamp-kind.ts";
import { aStampHarness, manyNames } from "./stamps.ts";

test("a CRD that is not installed is waited for, without delaying the others", async () => {
  // Given an operator whose one kind is installed, and the other is not
  const ownGroup = `late-${crypto.randomUUID().slice(0, 8)}.tests.fairlead.dev`;
  const kind = stampIn(ownGroup);
  const { definition } = kind;
  const crd = `crd/${groupKindOf(definition)}`;
  onTestFinished(async () => void (await kubectl(["delete", crd, "--ignore-not-found", "--wait=false"])));
  const harness = await aStampHarness({ ownGroup });
  await kubectl(["delete", crd]);
  const address = `127.0.0.1:${await aFreePort()}`;
  const operator = await harness.start([`--health-probe-bind-address=${address}`]);

  // Then it reports what it waits for, is healthy, and reconciles the existing kind
  await eventually(
    () =>
      operator.log.some(
        ({ level, message, why }) =>
          level === "warn" &&
          message === "Waiting for a kind that the API server does not serve" &&
          why ===
            `CustomResourceDefinition ${groupKindOf(definition)} is not installed, or does not serve v1; waiting until it is`,
      ),
    { what: "it reports that the CRD is missing" },
  );
  await harness.apply(manyNames(3), { text: "one" });
  await harness.untilSettled(3);
  const answers = await Promise.all(
    ["healthz", "readyz"].map((probe) => fetch(`http://${address}/${probe}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(operator.log.filter(({ why }) => String(why).includes(ownGroup))).toHaveLength(1);

  // When it is installed, then its resources are reconciled, with no restart
  await install(testCluster(), { kinds: [kind], name: ownGroup.replaceAll(".", "-") });
  const metadata = { name: "late", namespace: harness.namespace };
  await applyObjects({
    apiVersion: apiVersionOf(definition),
    kind: "Stamp",
    metadata,
    spec: { text: "one" },
  });
  await untilReady(definition, harness.namespace, "late");
  expect(harness.repository.files(`${harness.namespace}/${groupKindOf(definition)}/late/`)).toHaveLength(3);
});

/** A port of 127.0.0.1 without a listener. */
async function aFreePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === "object" && address !== null ? address.port : 0;
}
