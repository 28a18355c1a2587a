import { describe, expect, onTestFinished, test } from "vitest";
import { apiVersionOf, groupKindOf } from "../../crds/object.ts";
import { applyObjects, eventually, kubectl } from "./fixture.ts";
import { stampIn } from "./stamp-kind.ts";
import { aStampStory, manyNames, type StampStory } from "./stamps.ts";
import { conditionOf, untilReady } from "./story.ts";

const names = manyNames(10);
const owned = ["--leader-elect"];

/** Ten Stamps, converged and published; the operator has ended. */
async function aStoppedStory(args: readonly string[] = [], story?: StampStory): Promise<StampStory> {
  const given = story ?? (await aStampStory());
  await given.apply(names, { text: "one" });
  const operator = await given.start(args);
  await given.untilSettled(names.length);
  await operator.stop();
  return given;
}

/** Names of the resources that have a folder. */
function foldersOf(
  { repository }: StampStory,
  namespace: string,
  groupKind = "stamps.stories.fairlead.dev",
): string[] {
  const prefix = `${namespace}/${groupKind}/`;
  return [...new Set(repository.files(prefix).map((path) => path.slice(prefix.length).split("/")[0] ?? ""))];
}

/** The folders of these Stamps exist, and no others. */
async function untilFolders(story: StampStory, wanted: readonly string[]): Promise<void> {
  await eventually(() => expect(foldersOf(story, story.namespace)).toEqual(wanted.toSorted()), {
    what: `exactly ${wanted.length} folders are there`,
  });
}

describe("the sweep of git", () => {
  test("does not write to a root of another cluster, and names its owner", async () => {
    const theirs = await aStampStory();
    await theirs.apply(names, { text: "one" });
    await theirs.start();
    await theirs.untilSettled(names.length);
    const { repository } = theirs;
    const head = repository.remote.head();
    const commits = repository.commits();

    // When an operator with another Lease publishes to the same root
    const ours = await aStampStory();
    await ours.apply(["late"], { text: "one" });
    const args = ["--leader-elect-id=other", `--repository=${theirs.repository.url}`];
    const operator = await ours.start(args);
    const [late] = await ours.until("it is said whose the root is", ([stamp]) => {
      return stamp !== undefined && conditionOf(stamp, "Published")?.reason === "RepositoryOwned";
    });

    // Then nothing is written, the resource is Ready, and log and condition name the other one
    const said = new RegExp(`Lease ${theirs.namespace}/fairlead of cluster \\S+ writes here`);
    expect(late && conditionOf(late, "Published")?.message).toMatch(said);
    expect(late && conditionOf(late, "Ready")?.status).toBe("True");
    expect((await operator.untilLogged("Cannot publish"))["note"]).toMatch(said);
    expect(repository.remote.head()).toBe(head);

    // And the first one continues
    await theirs.apply(["stamp-0"], { text: "two" });
    await theirs.untilSettled(names.length);
    expect(repository.commits()).toBe(commits + 1);
    expect(foldersOf(theirs, ours.namespace)).toEqual([]);
    await untilFolders(theirs, names);
  });

  test("removes the folders of resources that were deleted while the operator was down", async () => {
    const story = await aStoppedStory();
    const commits = story.repository.commits();
    await story.remove(names.slice(0, 4));
    await story.start();
    await untilFolders(story, names.slice(4));
    expect(story.repository.commits()).toBe(commits + 1);
  });

  test("removes no folder of a namespace that is no longer watched", async () => {
    const other = await aStampStory();
    const story = await aStampStory();
    await other.apply(names, { text: "one" });
    await aStoppedStory([`--namespace=${other.namespace}`], story);
    await eventually(() => foldersOf(story, other.namespace).length === names.length, {
      what: "both are published",
    });

    // When only one is watched, and one of its resources was deleted
    await story.remove(["stamp-0"]);
    await other.remove(["stamp-1"]);
    await story.start();

    // Then the folder of this one is removed, and nothing else
    await untilFolders(story, names.slice(1));
    expect(foldersOf(story, other.namespace)).toEqual(names.toSorted());
  });

  test("removes no folder of a kind whose CRD was deleted, and reports it", async () => {
    const ownGroup = `sweep-${crypto.randomUUID().slice(0, 8)}.stories.fairlead.dev`;
    const { definition } = stampIn(ownGroup);
    const crd = `crd/${groupKindOf(definition)}`;
    onTestFinished(async () => void (await kubectl(["delete", crd, "--ignore-not-found", "--wait=false"])));
    const story = await aStampStory({ ownGroup });
    const metadata = (name: string) => ({ name, namespace: story.namespace });
    const own = manyNames(5, "own");
    await applyObjects(
      ...own.map((name) => ({
        apiVersion: apiVersionOf(definition),
        kind: definition.kind,
        metadata: metadata(name),
        spec: { text: "one" },
      })),
    );
    await story.apply(names, { text: "one" });
    const operator = await story.start();
    for (const name of own) await untilReady(definition, story.namespace, name);
    await story.untilSettled(names.length);
    await eventually(() => foldersOf(story, story.namespace, groupKindOf(definition)).length === own.length, {
      what: "both kinds are published",
    });
    await operator.stop();

    // When the CRD and a resource of the other kind are deleted while the operator is down
    await kubectl(["delete", crd]);
    await story.remove(["stamp-0"]);
    const again = await story.start();

    // Then the other kind is swept, and the folders of this one stay
    await untilFolders(story, names.slice(1));
    expect(foldersOf(story, story.namespace, groupKindOf(definition))).toEqual(own);
    await eventually(
      () => again.log.some(({ why }) => String(why).includes(`${groupKindOf(definition)} is not installed`)),
      { what: "it is said" },
    );
  });

  test("removes no folder after the Lease was recreated", async () => {
    const story = await aStoppedStory(owned);
    const commits = story.repository.commits();
    await kubectl(["delete", "lease", "fairlead", "-n", story.namespace]);
    await story.remove(["stamp-0"]);
    await story.start(owned);
    await untilFolders(story, names.slice(1));
    await story.apply(["stamp-1"], { text: "two" });
    await story.untilSettled(names.length - 1);
    expect(foldersOf(story, story.namespace)).toHaveLength(names.length - 1);
    expect(story.repository.commits()).toBe(commits + 2);
  });

  test("waits for approval before it removes more than half of all folders", async () => {
    const story = await aStoppedStory();
    const { repository } = story;
    await story.remove(names.slice(0, 8));
    const operator = await story.start();
    const line = await operator.untilLogged(
      "Sweep waits for approval: it would remove more than half of all folders",
    );
    expect(line).toMatchObject({ gone: 8, folders: 10 });
    await story.apply(["stamp-9"], { text: "two" });
    await story.untilSettled(2);
    await untilFolders(story, names);

    // When a user adds the id to the file
    const file = repository.read(".fairlead.yaml");
    repository.remote.commitByOthers({ ".fairlead.yaml": `${file}approveSweep: ${String(line["id"])}\n` });
    await story.apply(["stamp-9"], { text: "three" });

    // Then they are removed, and so is the approval
    await untilFolders(story, names.slice(8));
    await story.untilSettled(2);
    expect(repository.read(".fairlead.yaml")).toBe(file);
  });
});
