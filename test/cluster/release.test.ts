import { describe, expect, test } from "vitest";
import { Release } from "../../crds/release.ts";
import { eventually, kubectl, readObject } from "./fixture.ts";
import { aConfigMapFile, aDeploymentFile, aReleaseStory } from "./release-story.ts";
import { seen, untilGone } from "./story.ts";

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
    const story = await aReleaseStory();
    const { namespace, commit, source } = story;
    const first = commit({
      "shop/web.json": aConfigMapFile("web", { colour: "blue" }),
      "shop/deeper/deployment.yaml": aDeploymentFile("web"),
      "shop/hello.yaml": anEcho("hello"),
      "shop/notes.txt": "no manifest",
    });
    await story.start();
    await story.release("shop");
    const deployed = await story.untilAt("shop", first);
    expect(deployed.status?.["history"]).toMatchObject([
      { revision: first, subject: "Change", outcome: "Ready" },
    ]);
    expect(deployed.metadata.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps,Echo.mmontes.io",
    });
    // The custom resource is reconciled like any other.
    await eventually(() => jobsOf(namespace), { what: "the Echo has its Job" });

    const second = commit({ "shop/web.json": aConfigMapFile("web", { colour: "green" }) }, "Paint it");
    await story.untilAt("shop", second);
    expect(await colourOf(namespace)).toBe("green");

    await kubectl(["patch", "cm", "web", "-n", namespace, "--type=merge", "-p", '{"data":{"colour":"red"}}']);
    await eventually(async () => (await colourOf(namespace)) === "green", {
      what: "the manual edit is reverted",
    });

    source.git(["update-ref", "refs/heads/before", first]);
    const reverted = commit({ "shop/web.json": source.read("shop/web.json", "before") }, "Revert");
    const back = await story.untilAt("shop", reverted);
    expect(await colourOf(namespace)).toBe("blue");
    expect(back.status?.["history"]).toMatchObject([
      { revision: reverted },
      { revision: second },
      { revision: first },
    ]);

    const without = commit({ "shop/hello.yaml": undefined }, "Remove the Echo");
    await story.untilAt("shop", without);
    await untilGone("echos.mmontes.io", "hello", namespace);
    expect(await readObject("deployments.apps", "web", namespace)).toBeDefined();
  });

  test("keeps the deployed objects when a file is invalid, and reports its position", async () => {
    const story = await aReleaseStory();
    const { namespace, commit } = story;
    const good = commit({ "shop/web.json": aConfigMapFile("web", { colour: "blue" }) });
    await story.start();
    await story.release("shop");
    await story.untilAt("shop", good);
    commit({ "shop/web.json": undefined, "shop/web.yaml": "kind: ConfigMap\n  apiVersion: [v1\n" }, "Oops");
    const broken = await story.until("shop", {
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
    await story.untilAt("shop", mended);
  });

  test("stays at its pinned commit, is unchanged while suspended, and then follows again", async () => {
    const story = await aReleaseStory();
    const { namespace, commit } = story;
    const first = commit({ "shop/web.json": aConfigMapFile("web", { colour: "blue" }) });
    const second = commit({ "shop/web.json": aConfigMapFile("web", { colour: "green" }) });
    await story.start();
    await story.release("shop");
    await story.untilAt("shop", second);
    await story.release("shop", { revision: first });
    await story.untilAt("shop", first);
    expect(await colourOf(namespace)).toBe("blue");
    await story.release("shop", { suspend: true });
    await story.until("shop", { status: "True", reason: "Suspended" });
    const third = commit({ "shop/web.json": aConfigMapFile("web", { colour: "red" }) });
    expect(await colourOf(namespace)).toBe("blue");
    await story.release("shop");
    await story.untilAt("shop", third);
    expect(await colourOf(namespace)).toBe("red");
  });

  test("waits for approval before it deletes more than half of many objects", async () => {
    const story = await aReleaseStory();
    const { namespace, commit } = story;
    const names = ["a", "b", "c", "d", "e", "f"];
    commit(Object.fromEntries(names.map((name) => [`shop/${name}.json`, aConfigMapFile(name, {})])));
    await story.start();
    await story.release("shop");
    await story.until("shop", { status: "True" });
    const fewer = commit(Object.fromEntries(names.slice(1).map((name) => [`shop/${name}.json`, undefined])));
    await story.until("shop", { status: "False", reason: "PruneHeld", message: new RegExp(fewer) });
    expect(await readObject("configmaps", "f", namespace)).toBeDefined();
    await kubectl(["annotate", "releases", "shop", "-n", namespace, `fairlead.dev/approve-prune=${fewer}`]);
    await untilGone("configmaps", "f", namespace);
    await story.untilAt("shop", fewer);
  });

  test("does not change objects of another Release, and adopts them when that one no longer has them", async () => {
    const story = await aReleaseStory();
    const { namespace, commit } = story;
    commit({
      "one/web.json": aConfigMapFile("web", { of: "one" }),
      "two/web.json": aConfigMapFile("web", { of: "two" }),
    });
    await story.start();
    await story.release("one");
    await story.until("one", { status: "True" });
    await story.release("two");
    await story.until("two", { status: "False", reason: "NotOwned", message: /one/ });
    commit({ "one/web.json": aConfigMapFile("other", {}) });
    await story.until("two", { status: "True" });
    const owner = (await readObject<ConfigMap>("configmaps", "web", namespace))?.data?.["of"];
    expect(owner).toBe("two");
    expect((await seen(Release, namespace, "one")).status?.["inventory"]).toMatchObject({
      entries: [`/ConfigMap/${namespace}/other`],
    });
  });
});

async function jobsOf(namespace: string): Promise<string | undefined> {
  return (await kubectl(["get", "jobs", "-n", namespace, "-o", "name"])).trim() || undefined;
}
