import { join } from "node:path";
import { expect, test } from "vitest";
import { groupKindOf } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { fence } from "./fenced.ts";
import { eventually, kubectl, testCluster } from "./fixture.ts";
import { applyResource, seen, untilCondition, untilGone, untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { isWrite } from "./operator-user.ts";
import { pin } from "./pin-kind.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const { definition } = pin;
const program = join(import.meta.dirname, "pin-program.ts");

test("a kind pins Releases of the same operator, with all fences, and unpins them", async () => {
  // Given an operator for Pins and Releases with all fences, and two Releases at the newest commit
  const kinds = [stampIn(sharedGroup), pin];
  const releases = { enabled: true, requireServiceAccount: false };
  await install(testCluster(), {
    kinds,
    name: "pins",
    values: { releases: { ...releases, watchAll: true, kinds: [{ resource: "configmaps" }] } },
  });
  const { namespace, ...harness } = await aReleaseHarness();
  const fenced = await fence(namespace, {
    kinds,
    rights: "pins",
    policies: { ownership: true, leadership: true, releaseStatus: true },
    releases,
    watchedNamespaces: [namespace],
  });
  const pod = await fenced.aPod("operator-1");
  const files = (version: string) => ({
    "shop/web.json": aConfigMapFile("web", { version }),
    "held/web.json": aConfigMapFile("held", { version }),
  });
  const first = harness.commit(files("1"));
  await harness.start(fenced.args, { program, ...pod });
  for (const name of ["shop", "held"]) await harness.release(name);
  for (const name of ["shop", "held"]) await harness.untilAt(name, first);
  const second = harness.commit(files("2"));
  for (const name of ["shop", "held"]) await harness.untilAt(name, second);
  const pins = async () =>
    (await pod.requests()).filter(
      (request) => isWrite(request) && request.requestURI.includes("fieldManager=fairlead%2Fpins"),
    );

  // When one is pinned to an earlier commit
  await applyResource(definition, namespace, { name: "back", release: "shop", revision: first });

  // Then that commit is deployed, by one write to the Release, and its owner's fields are unchanged
  await harness.untilAt("shop", first);
  await eventually(async () => (await seen(definition, namespace, "back")).status?.["deployed"] === first, {
    what: "the Pin has observed it",
  });
  await untilReady(definition, namespace, "back");
  expect((await seen(Release, namespace, "shop")).spec).toMatchObject({ revision: first, interval: "1s" });

  // and neither an edit of its owner nor its later status changes cause another one
  const third = harness.commit(files("3"));
  await harness.untilAt("held", third);
  const edit = JSON.stringify({ spec: { interval: "2s" } });
  await kubectl(["patch", "release", "shop", "-n", namespace, "--type=merge", "-p", edit]);
  await harness.until("shop", { status: "True", message: /Pinned to \w{12} by spec.revision/ });
  expect(await pins()).toHaveLength(1);

  // A pin of another manager is not taken over.
  const byHand = JSON.stringify({ spec: { revision: second } });
  await kubectl(["patch", "release", "held", "-n", namespace, "--type=merge", "-p", byHand]);
  await harness.untilAt("held", second);
  await applyResource(definition, namespace, { name: "late", release: "held", revision: first });
  const refused = await untilCondition(definition, namespace, {
    type: "Applied",
    status: "False",
    reason: "ApplyRejected",
    name: "late",
  });
  expect(JSON.stringify(refused.status)).toMatch(/spec\.revision: conflict with \\"kubectl-patch\\"/);
  expect((await seen(Release, namespace, "held")).spec).toMatchObject({ revision: second });

  // When the Pin is deleted, then the Release follows again
  await kubectl(["delete", "pin", "back", "-n", namespace]);
  await untilGone(groupKindOf(definition), "back", namespace);
  await harness.untilAt("shop", third);
  expect((await seen(Release, namespace, "shop")).spec).not.toHaveProperty("revision");
});
