import { Release } from "../../../crds/release.ts";
import { createFixture, type Fixture, releaseFlags } from "../fixture.ts";
import type { SentWrite } from "../journal.ts";
import type { OperatorProcess } from "../operator-process.ts";
import { chanceFrom } from "../random.ts";
import type { SharedSetup } from "../shared-setup.ts";
import { DesiredReleases, type Places } from "./desired-releases.ts";
import type { Action, ReleaseName } from "./points.ts";

/** Two namespaces, a repository, an operator, and a user who pushes and creates Releases. */
export interface ReleaseFixture extends Fixture {
  readonly places: Places;
  readonly operator: OperatorProcess;
  readonly desired: DesiredReleases;
  /** Called for every write of the operator, except for Leases and events, when it arrives at the API server. */
  onWrite: ((write: SentWrite) => void) | undefined;
  /** Executes the user's actions: first one push, then changes of the Releases. */
  perform(actions: readonly Action[]): Promise<void>;
  /** Creates a Release that is desired but does not exist. */
  createRelease(release: ReleaseName): Promise<void>;
}

export async function createReleaseFixture(shared: SharedSetup, seed: number): Promise<ReleaseFixture> {
  const base = await createFixture(shared, {
    ...{ name: `kills-${seed}`, protocol: "h2", chance: chanceFrom(seed) },
    onWrite: (write) => {
      if (write.holder === undefined && !write.path.includes("/events")) fixture.onWrite?.(write);
    },
  });
  const { namespace, git } = base;
  const elsewhere = `${namespace}-elsewhere`;
  await base.addNamespace(elsewhere);
  const places: Places = { own: namespace, elsewhere };
  const operator = base.addOperator([`--namespace=${elsewhere}`, ...releaseFlags(base)]);
  const desired = new DesiredReleases();
  const pushed = new Map<string, string>();
  const fixture: ReleaseFixture = {
    ...{ ...base, places, operator, desired, onWrite: undefined },
    async perform(actions) {
      const done = actions.map((action) => ({ does: desired.change(action), release: action.release }));
      const files = changedFiles(desired, places, pushed);
      if (Object.keys(files).length > 0) await git.commitByOnlyUser(files);
      for (const { does, release } of done) {
        if (does === "delete" || does === "recreate") await shared.api.delete(Release, namespace, release);
        // A deleted Release may still be terminating. It is created again after its deletion.
        else if (desired.releases.has(release) && !(await isThere(shared, namespace, release)))
          await this.createRelease(release);
      }
    },
    async createRelease(release) {
      const source = { url: `file://${git.path}`, path: release };
      const spec = { source, interval: "5s", render: { manifests: {} } };
      await shared.api.apply(Release, { metadata: { name: release, namespace }, spec });
    },
  };
  return fixture;
}

async function isThere({ api }: SharedSetup, namespace: string, release: ReleaseName): Promise<boolean> {
  return (await api.list(Release, namespace)).some(({ metadata }) => metadata.name === release);
}

/** Records the changes of the next push, by path; `undefined` deletes. */
function changedFiles(
  desired: DesiredReleases,
  places: Places,
  pushed: Map<string, string>,
): Record<string, string | undefined> {
  const wanted = new Map<string, string>();
  for (const release of desired.folders.keys())
    for (const [path, text] of Object.entries(desired.filesOf(release, places))) wanted.set(path, text);
  const changes: Record<string, string | undefined> = {};
  for (const path of pushed.keys()) if (!wanted.has(path)) changes[path] = undefined;
  for (const [path, text] of wanted) if (pushed.get(path) !== text) changes[path] = text;
  for (const [path, text] of Object.entries(changes)) {
    if (text === undefined) pushed.delete(path);
    else pushed.set(path, text);
  }
  return changes;
}
