import { expect, test } from "vitest";
import { aConfigMapFile, aDeploymentFile, aReleaseHarness, type ReleaseHarness } from "./release-harness.ts";

const aService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
};
const aServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "web" } };

const files = (colour: string) => ({
  "shop/web.json": aConfigMapFile("web", { colour }),
  "shop/deployment.json": aDeploymentFile("web"),
  "shop/service.json": aService,
  "shop/account.json": aServiceAccount,
  "other/other.json": aConfigMapFile("other", {}),
});

test("a set of four objects causes six writes and no read, an edit two, and an idle Release none", async () => {
  const harness = await aReleaseHarness();
  const { commit, user } = harness;
  const first = commit(files("blue"));
  const operator = await harness.start();
  await operator.untilLogged("Watching");
  const begin = new Date();
  await harness.release("shop");
  await harness.untilAt("shop", first);
  const made = [
    "patch configmaps web 201",
    "patch deployments web 201",
    "patch releases shop 200",
    "patch serviceaccounts web 201",
    "patch services web 201",
  ];
  await expectWrites(harness, begin, made);
  // The objects are recorded together with the finalizer, before they exist.
  const inOrder = await harness.writes(begin);
  expect(inOrder.indexOf("patch releases shop 200")).toBeLessThan(
    Math.min(...made.filter((write) => write.endsWith("201")).map((write) => inOrder.indexOf(write))),
  );
  const reads = await user.requests(begin);
  expect(reads.filter(({ verb, objectRef }) => verb === "get" && objectRef?.name === "web")).toEqual([]);

  await harness.release("other");
  await harness.until("other", { status: "True" });
  const edit = new Date();
  const second = commit(files("green"));
  await harness.untilAt("shop", second);
  await expectWrites(harness, edit, ["patch configmaps web 200"]);

  // After a kill and a restart, it finds everything up to date.
  await operator.stop("SIGKILL");
  const restart = new Date();
  await harness.start();
  const third = commit(files("red"));
  await harness.untilAt("shop", third);
  await expectWrites(harness, restart, ["patch configmaps web 200"]);
});

/** These, and one status; one more for each two seconds that a loaded machine took. */
async function expectWrites(
  harness: ReleaseHarness,
  since: Date,
  expected: readonly string[],
): Promise<void> {
  const tookMs = Date.now() - since.getTime();
  const writes = await harness.writes(since);
  const statuses = writes.filter((write) => write.includes("/status "));
  expect(writes.filter((write) => !statuses.includes(write)).toSorted()).toEqual(expected);
  expect(new Set(statuses)).toEqual(new Set(["patch releases/status shop 200"]));
  expect(statuses.length).toBeLessThanOrEqual(1 + Math.floor(tookMs / 2_000));
}
