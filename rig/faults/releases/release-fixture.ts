import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Namespace } from "../../../crds/core-kinds.ts";
import { Release } from "../../../crds/release.ts";
import { GitServer } from "../git-server.ts";
import { Journal, type SentWrite } from "../journal.ts";
import { OperatorProcess } from "../operator-process.ts";
import { ApiProxy } from "../proxy.ts";
import { chanceFrom } from "../random.ts";
import type { SharedSetup } from "../shared-setup.ts";
import { DesiredReleases, type Places } from "./desired-releases.ts";
import type { Action, ReleaseName } from "./points.ts";

/** Two namespaces, a repository, an operator, and a user who pushes and creates Releases. */
export interface ReleaseFixture {
  readonly shared: SharedSetup;
  readonly places: Places;
  readonly git: GitServer;
  readonly operator: OperatorProcess;
  readonly desired: DesiredReleases;
  /** Called for every write of the operator, except for Leases and events, when it arrives at the API server. */
  onWrite: ((write: SentWrite) => void) | undefined;
  /** Executes the user's actions: first one push, then changes of the Releases. */
  perform(actions: readonly Action[]): Promise<void>;
  /** Creates a Release that is desired but does not exist. */
  createRelease(release: ReleaseName): Promise<void>;
  close(): Promise<void>;
}

export async function createReleaseFixture(shared: SharedSetup, seed: number): Promise<ReleaseFixture> {
  const id = `kills-${seed}-${crypto.randomUUID().slice(0, 6)}`;
  const places: Places = { own: id, elsewhere: `${id}-elsewhere` };
  const folder = join(shared.folder, id);
  await mkdir(folder, { recursive: true });
  for (const name of Object.values(places)) await shared.api.create(Namespace, { metadata: { name } });
  const git = await GitServer.create(folder);
  const proxy = await ApiProxy.start({
    ...{ upstream: shared.upstream, protocol: "h2", journal: new Journal(id), chance: chanceFrom(seed) },
    onWrite: (write) => {
      if (write.holder === undefined && !write.path.includes("/events")) fixture.onWrite?.(write);
    },
  });
  const { program, preload, environment } = shared;
  const args = [
    ...Object.values(places).map((name) => `--namespace=${name}`),
    "--releases",
    "--release-file-remotes",
    `--release-cache=${join(folder, "cache")}`,
  ];
  const operator = new OperatorProcess({
    ...{ slot: 0, folder, program, preload, proxy, args, environment },
  });
  const desired = new DesiredReleases();
  const pushed = new Map<string, string>();
  const fixture: ReleaseFixture = {
    ...{ shared, places, git, operator, desired, onWrite: undefined },
    async perform(actions) {
      const done = actions.map((action) => ({ does: desired.change(action), release: action.release }));
      const files = changedFiles(desired, places, pushed);
      if (Object.keys(files).length > 0 && !(await git.commitByOthers(files)))
        throw new Error("Cannot push: the branch has changed, although no other user pushes");
      for (const { does, release } of done) {
        if (does === "delete" || does === "recreate") await shared.api.delete(Release, id, release);
        // A deleted Release may still be terminating. It is created again after its deletion.
        else if (desired.releases.has(release) && !(await isThere(shared, id, release)))
          await this.createRelease(release);
      }
    },
    async createRelease(release) {
      const source = { url: `file://${git.path}`, path: release };
      const spec = { source, interval: "5s", render: { manifests: {} } };
      await shared.api.apply(Release, { metadata: { name: release, namespace: id }, spec });
    },
    async close() {
      await operator.stop();
      await proxy.close();
      for (const name of Object.values(places)) await shared.api.delete(Namespace, undefined, name);
      await rm(folder, { recursive: true, force: true });
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
