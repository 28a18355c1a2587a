import { expect, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { placeIdOf } from "../../operator/engine/place-id.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { FakeGitRemote } from "../fakes/git-remote.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { PublisherHarness } from "./git/publish/publisher-harness.ts";

const two = { spec: { objects: [aConfigMap("a"), aConfigMap("b")] } };

interface StartOptions {
  readonly branch?: string;
  /** The state that the previous operator left in the cluster. */
  readonly cluster?: Iterable<LiveObject>;
}

/** An operator with one resource, from its start on. */
class Started implements AsyncDisposable {
  readonly bench: ReconcileBench;
  readonly #git: PublisherHarness;

  constructor(remote: FakeGitRemote, { branch = "main", cluster = [] }: StartOptions = {}) {
    this.#git = new PublisherHarness(remote, { branch });
    const place = placeIdOf({ url: remote.path, branch, root: "" });
    this.bench = new ReconcileBench({ resource: two, publisher: this.#git.publisher, place });
    for (const object of cluster) this.bench.deliver(this.bench.cluster.put(object));
  }

  /**
   * Reconciles, fetches and pushes, and reconciles again. Returns the requests.
   *
   * @param isBack Whether the remote is reachable again: waits until everything is pushed.
   */
  async converge({ isBack = false } = {}): Promise<readonly string[]> {
    await this.bench.reconcile();
    this.#git.publisher.start();
    await this.#git.untilNextPoll(() => {
      const { pending, failing } = this.#git.publisher.stats;
      return pending === 0 || (!isBack && failing !== undefined);
    });
    await this.bench.reconcile();
    return this.bench.takeRequests();
  }

  get published(): EngineStatus["published"] {
    return (this.bench.resource.status as EngineStatus).published;
  }

  get objects(): Iterable<LiveObject> {
    return this.bench.cluster.objects.values();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#git[Symbol.asyncDispose]();
  }
}

/** Creates the state that an operator leaves after publishing to `remote`. */
async function leave(remote: FakeGitRemote, rewrite = (object: LiveObject) => object) {
  await using before = new Started(remote);
  before.bench.cluster.rewrite = rewrite;
  expect(await before.converge()).toEqual(["apply ConfigMap/a", "apply ConfigMap/b", "status Gadget/web"]);
  expect(before.bench.condition("Published")).toBe("True Published");
  return [...before.objects];
}

/** A status of an earlier CRD, which did not name the remote and branch. */
function withoutPlace(object: LiveObject): LiveObject {
  const { published, ...status } = (object["status"] ?? {}) as EngineStatus;
  if (published === undefined) return object;
  const { place: _place, ...record } = published;
  return { ...object, status: { ...status, published: record } };
}

test("a restart with the same remote writes nothing, whether the remote is reachable or not", async () => {
  using remote = new FakeGitRemote();
  const cluster = await leave(remote);
  await using back = new Started(remote, { cluster });
  expect(back.published?.place).toMatch(/^[0-9a-f]{16}$/);
  expect(await back.converge()).toEqual([]);
  remote.vanish();
  await using away = new Started(remote, { cluster });
  expect(await away.converge()).toEqual([]);
  expect(away.bench.condition("Published")).toBe("True Published");
  remote.behave();
});

test("a publication on one remote is not claimed for another one that cannot be reached", async () => {
  using remote = new FakeGitRemote();
  using other = new FakeGitRemote();
  other.vanish();
  await using moved = new Started(other, { cluster: await leave(remote) });
  const { place, commit } = moved.published ?? {};
  expect(await moved.converge()).toEqual(["status Gadget/web"]);
  expect(moved.bench.condition("Published")).toBe("False RepositoryUnreachable");
  expect(moved.bench.condition("Ready")).toBe("True Reconciled");
  // The record names the remote of the publication.
  expect(moved.published).toMatchObject({ place, commit });
  expect(await moved.converge()).toEqual([]);

  other.behave();
  expect(await moved.converge({ isBack: true })).toEqual(["status Gadget/web"]);
  expect(moved.bench.condition("Published")).toBe("True Published");
  expect(moved.published?.place).not.toBe(place);
  expect(moved.published?.commit).toBe(other.head());
});

test("another branch with the same files is one status, and no commit", async () => {
  using remote = new FakeGitRemote();
  const cluster = await leave(remote);
  const files = Object.fromEntries(remote.paths().map((path) => [path, remote.read(path)]));
  const head = remote.commitByOthers(files, { branch: "copy" });
  await using moved = new Started(remote, { branch: "copy", cluster });
  expect(await moved.converge()).toEqual(["status Gadget/web"]);
  expect(moved.published?.commit).toBe(head);
  expect(remote.head("copy")).toBe(head);
  expect(await moved.converge()).toEqual([]);
});

test("a status without the name of the remote is not rewritten only for the name, nor under a CRD that drops it", async () => {
  using remote = new FakeGitRemote();
  const cluster = await leave(remote, withoutPlace);
  await using upgraded = new Started(remote, { cluster });
  expect(upgraded.published).toEqual({
    digest: expect.any(String),
    tree: expect.any(String),
    commit: remote.head(),
  });
  expect(await upgraded.converge()).toEqual([]);
});
