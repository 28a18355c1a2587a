import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { Release } from "../../crds/release.ts";
import { eventually, kubectl, readObject } from "./fixture.ts";
import { seen, untilGone } from "./harness.ts";
import { aConfigMapFile, aDeploymentFile, aReleaseHarness } from "./release-harness.ts";

interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

const anEcho = (message: string) => ({
  apiVersion: "mmontes.io/v1alpha1",
  kind: "Echo",
  metadata: { name: "hello" },
  spec: { message },
});

const colourOf = async (namespace: string) =>
  (await readObject<ConfigMap>("configmaps", "web", namespace))?.data?.["colour"];

describe("a Release of a folder", () => {
  test("follows its branch: an edit, a revert, a deleted file; and manual edits are reverted", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit, source } = harness;
    const first = commit({
      "shop/web.json": aConfigMapFile("web", { colour: "blue" }),
      "shop/deeper/deployment.yaml": aDeploymentFile("web"),
      "shop/hello.yaml": anEcho("hello"),
      "shop/notes.txt": "no manifest",
    });
    await harness.start();
    await harness.release("shop");
    const deployed = await harness.untilAt("shop", first);
    expect(deployed.status?.["history"]).toMatchObject([
      { revision: first, subject: "Change", outcome: "Ready" },
    ]);
    expect(deployed.metadata.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps,Echo.mmontes.io",
    });
    // The custom resource is reconciled like any other.
    await eventually(() => jobsOf(namespace), { what: "the Echo has its Job" });

    const second = commit({ "shop/web.json": aConfigMapFile("web", { colour: "green" }) }, "Paint it");
    await harness.untilAt("shop", second);
    expect(await colourOf(namespace)).toBe("green");

    await kubectl(["patch", "cm", "web", "-n", namespace, "--type=merge", "-p", '{"data":{"colour":"red"}}']);
    await eventually(async () => (await colourOf(namespace)) === "green", {
      what: "the manual edit is reverted",
    });

    source.git(["update-ref", "refs/heads/before", first]);
    const reverted = commit({ "shop/web.json": source.read("shop/web.json", "before") }, "Revert");
    const back = await harness.untilAt("shop", reverted);
    expect(await colourOf(namespace)).toBe("blue");
    expect(back.status?.["history"]).toMatchObject([
      { revision: reverted },
      { revision: second },
      { revision: first },
    ]);

    const without = commit({ "shop/hello.yaml": undefined }, "Remove the Echo");
    await harness.untilAt("shop", without);
    await untilGone("echos.mmontes.io", "hello", namespace);
    expect(await readObject("deployments.apps", "web", namespace)).toBeDefined();
  });

  test("keeps the deployed objects when a file is invalid, and reports its position", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    const good = commit({ "shop/web.json": aConfigMapFile("web", { colour: "blue" }) });
    await harness.start();
    await harness.release("shop");
    await harness.untilAt("shop", good);
    commit({ "shop/web.json": undefined, "shop/web.yaml": "kind: ConfigMap\n  apiVersion: [v1\n" }, "Oops");
    const broken = await harness.until("shop", {
      status: "False",
      reason: "RenderFailed",
      message: /web\.yaml:\d/,
    });
    expect(broken.status?.["revision"]).toBe(good);
    expect(await colourOf(namespace)).toBe("blue");
    const mended = commit({
      "shop/web.yaml": undefined,
      "shop/b.json": aConfigMapFile("web", { colour: "red" }),
    });
    await harness.untilAt("shop", mended);
  });

  test("stays at its pinned commit, is unchanged while suspended, and then follows again", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    const first = commit({ "shop/web.json": aConfigMapFile("web", { colour: "blue" }) });
    const second = commit({ "shop/web.json": aConfigMapFile("web", { colour: "green" }) });
    await harness.start();
    await harness.release("shop");
    await harness.untilAt("shop", second);
    await harness.release("shop", { revision: first });
    await harness.untilAt("shop", first);
    expect(await colourOf(namespace)).toBe("blue");
    await harness.release("shop", { suspend: true });
    await harness.until("shop", { status: "True", reason: "Suspended" });
    const third = commit({ "shop/web.json": aConfigMapFile("web", { colour: "red" }) });
    expect(await colourOf(namespace)).toBe("blue");
    await harness.release("shop");
    await harness.untilAt("shop", third);
    expect(await colourOf(namespace)).toBe("red");
  });

  test("waits for approval before it deletes more than half of many objects", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    const names = ["a", "b", "c", "d", "e", "f"];
    commit(Object.fromEntries(names.map((name) => [`shop/${name}.json`, aConfigMapFile(name, {})])));
    await harness.start();
    await harness.release("shop");
    await harness.until("shop", { status: "True" });
    const fewer = commit(Object.fromEntries(names.slice(1).map((name) => [`shop/${name}.json`, undefined])));
    await harness.until("shop", { status: "False", reason: "PruneHeld", message: new RegExp(fewer) });
    expect(await readObject("configmaps", "f", namespace)).toBeDefined();
    await kubectl(["annotate", "releases", "shop", "-n", namespace, `fairlead.dev/approve-prune=${fewer}`]);
    await untilGone("configmaps", "f", namespace);
    await harness.untilAt("shop", fewer);
  });

  test("does not change objects of another Release, and adopts them when that one no longer has them", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    commit({
      "one/web.json": aConfigMapFile("web", { of: "one" }),
      "two/web.json": aConfigMapFile("web", { of: "two" }),
    });
    await harness.start();
    await harness.release("one");
    await harness.until("one", { status: "True" });
    await harness.release("two");
    await harness.until("two", { status: "False", reason: "NotOwned", message: /one/ });
    commit({ "one/web.json": aConfigMapFile("other", {}) });
    await harness.until("two", { status: "True" });
    const owner = (await readObject<ConfigMap>("configmaps", "web", namespace))?.data?.["of"];
    expect(owner).toBe("two");
    // The other Release may be ready before this one has written its status.
    const recorded = async (): Promise<unknown> =>
      (await seen(Release, namespace, "one")).status?.["inventory"];
    await eventually(
      async () => isDeepStrictEqual(Object(await recorded()).entries, [`/ConfigMap/${namespace}/other`]),
      { what: "only the other object is recorded" },
    );
  });
});

async function jobsOf(namespace: string): Promise<string | undefined> {
  return (await kubectl(["get", "jobs", "-n", namespace, "-o", "name"])).trim() || undefined;
}
