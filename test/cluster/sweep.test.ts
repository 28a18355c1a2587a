import { describe, expect, onTestFinished, test } from "vitest";
import { apiVersionOf, groupKindOf } from "../../crds/object.ts";
import { applyObjects, eventually, kubectl } from "./fixture.ts";
import { conditionOf, untilReady } from "./harness.ts";
import { stampIn } from "./stamp-kind.ts";
import { aStampHarness, manyNames, type StampHarness } from "./stamps.ts";

const names = manyNames(10);
const owned = ["--leader-elect"];

/** Ten Stamps, converged and published; the operator has ended. */
async function aStoppedHarness(args: readonly string[] = [], harness?: StampHarness): Promise<StampHarness> {
  const given = harness ?? (await aStampHarness());
  await given.apply(names, { text: "one" });
  const operator = await given.start(args);
  await given.untilSettled(names.length);
  await operator.stop();
  return given;
}

/** Names of the resources that have a folder. */
function foldersOf(
  { repository }: StampHarness,
  namespace: string,
  groupKind = "stamps.tests.fairlead.dev",
): string[] {
  const prefix = `${namespace}/${groupKind}/`;
  return [...new Set(repository.files(prefix).map((path) => path.slice(prefix.length).split("/")[0] ?? ""))];
}

/** The folders of these Stamps exist, and no others. */
async function untilFolders(harness: StampHarness, wanted: readonly string[]): Promise<void> {
  await eventually(() => expect(foldersOf(harness, harness.namespace)).toEqual(wanted.toSorted()), {
    what: `exactly ${wanted.length} folders exist`,
  });
}

describe("the sweep of git", () => {
  test("does not write to a root of another cluster, and names its owner", async () => {
    const theirs = await aStampHarness();
    await theirs.apply(names, { text: "one" });
    await theirs.start();
    await theirs.untilSettled(names.length);
    const { repository } = theirs;
    const head = repository.remote.head();
    const commits = repository.commits();

    // When an operator with another Lease publishes to the same root
    const ours = await aStampHarness();
    await ours.apply(["late"], { text: "one" });
    const args = ["--leader-elect-id=other", `--repository=${theirs.repository.url}`];
    const operator = await ours.start(args);
    const [late] = await ours.until("the status names the owner of the root", ([stamp]) => {
      return stamp !== undefined && conditionOf(stamp, "Published")?.reason === "RepositoryOwned";
    });

    // Then nothing is written, the resource is Ready, and log and condition name the other one
    const message = new RegExp(`Lease ${theirs.namespace}/fairlead of cluster \\S+ writes here`);
    expect(late && conditionOf(late, "Published")?.message).toMatch(message);
    expect(late && conditionOf(late, "Ready")?.status).toBe("True");
    expect((await operator.untilLogged("Cannot publish"))["note"]).toMatch(message);
    expect(repository.remote.head()).toBe(head);

    // And the first one continues
    await theirs.apply(["stamp-0"], { text: "two" });
    await theirs.untilSettled(names.length);
    expect(repository.commits()).toBe(commits + 1);
    expect(foldersOf(theirs, ours.namespace)).toEqual([]);
    await untilFolders(theirs, names);
  });

  test("removes the folders of resources that were deleted while the operator was down", async () => {
    const harness = await aStoppedHarness();
    const commits = harness.repository.commits();
    await harness.remove(names.slice(0, 4));
    await harness.start();
    await untilFolders(harness, names.slice(4));
    expect(harness.repository.commits()).toBe(commits + 1);
  });

  test("removes no folder of a namespace that is no longer watched", async () => {
    const other = await aStampHarness();
    const harness = await aStampHarness();
    await other.apply(names, { text: "one" });
    await aStoppedHarness([`--namespace=${other.namespace}`], harness);
    await eventually(() => foldersOf(harness, other.namespace).length === names.length, {
      what: "both are published",
    });

    // When only one is watched, and one of its resources was deleted
    await harness.remove(["stamp-0"]);
    await other.remove(["stamp-1"]);
    await harness.start();

    // Then the folder of this one is removed, and nothing else
    await untilFolders(harness, names.slice(1));
    expect(foldersOf(harness, other.namespace)).toEqual(names.toSorted());
  });

  test("removes no folder of a kind whose CRD was deleted, and reports it", async () => {
    const ownGroup = `sweep-${crypto.randomUUID().slice(0, 8)}.tests.fairlead.dev`;
    const { definition } = stampIn(ownGroup);
    const crd = `crd/${groupKindOf(definition)}`;
    onTestFinished(async () => void (await kubectl(["delete", crd, "--ignore-not-found", "--wait=false"])));
    const harness = await aStampHarness({ ownGroup });
    const metadata = (name: string) => ({ name, namespace: harness.namespace });
    const own = manyNames(5, "own");
    await applyObjects(
      ...own.map((name) => ({
        apiVersion: apiVersionOf(definition),
        kind: definition.kind,
        metadata: metadata(name),
        spec: { text: "one" },
      })),
    );
    await harness.apply(names, { text: "one" });
    const operator = await harness.start();
    for (const name of own) await untilReady(definition, harness.namespace, name);
    await harness.untilSettled(names.length);
    await eventually(
      () => foldersOf(harness, harness.namespace, groupKindOf(definition)).length === own.length,
      {
        what: "both kinds are published",
      },
    );
    await operator.stop();

    // When the CRD and a resource of the other kind are deleted while the operator is down
    await kubectl(["delete", crd]);
    await harness.remove(["stamp-0"]);
    const again = await harness.start();

    // Then the other kind is swept, and the folders of this one stay
    await untilFolders(harness, names.slice(1));
    expect(foldersOf(harness, harness.namespace, groupKindOf(definition))).toEqual(own);
    await eventually(
      () => again.log.some(({ why }) => String(why).includes(`${groupKindOf(definition)} is not installed`)),
      { what: "the message is reported" },
    );
  });

  test("removes no folder after the Lease was recreated", async () => {
    const harness = await aStoppedHarness(owned);
    const commits = harness.repository.commits();
    await kubectl(["delete", "lease", "fairlead", "-n", harness.namespace]);
    await harness.remove(["stamp-0"]);
    await harness.start(owned);
    await untilFolders(harness, names.slice(1));
    await harness.apply(["stamp-1"], { text: "two" });
    await harness.untilSettled(names.length - 1);
    expect(foldersOf(harness, harness.namespace)).toHaveLength(names.length - 1);
    expect(harness.repository.commits()).toBe(commits + 2);
  });

  test("waits for approval before it removes more than half of all folders", async () => {
    const harness = await aStoppedHarness();
    const { repository } = harness;
    await harness.remove(names.slice(0, 8));
    const operator = await harness.start();
    const line = await operator.untilLogged(
      "Sweep waits for approval: it would remove more than half of all folders",
    );
    expect(line).toMatchObject({ gone: 8, folders: 10 });
    await harness.apply(["stamp-9"], { text: "two" });
    await harness.untilSettled(2);
    await untilFolders(harness, names);

    // When a user adds the id to the file
    const file = repository.read(".fairlead.yaml");
    repository.remote.commitByOthers({ ".fairlead.yaml": `${file}approveSweep: ${String(line["id"])}\n` });
    await harness.apply(["stamp-9"], { text: "three" });

    // Then they are removed, and so is the approval
    await untilFolders(harness, names.slice(8));
    await harness.untilSettled(2);
    expect(repository.read(".fairlead.yaml")).toBe(file);
  });
});
