import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Namespace } from "../../../crds/core-kinds.ts";
import { Release } from "../../../crds/release.ts";
import { GitServer } from "../git-server.ts";
import { Journal, type SentWrite } from "../journal.ts";
import { OperatorProcess } from "../operator-process.ts";
import { ApiProxy } from "../proxy.ts";
import { chanceFrom } from "../random.ts";
import type { World } from "../world.ts";
import type { Action, ReleaseName } from "./points.ts";
import { type Places, ReleaseTruth } from "./release-truth.ts";

/** Two namespaces, a repository, an operator, and a user who pushes and creates Releases. */
export interface ApplyStage {
  readonly world: World;
  readonly places: Places;
  readonly git: GitServer;
  readonly operator: OperatorProcess;
  readonly truth: ReleaseTruth;
  /** Called for every write of the operator, except for Leases and events, when it arrives at the API server. */
  onWrite: ((write: SentWrite) => void) | undefined;
  /** Executes the user's actions: first one push, then changes of the Releases. */
  perform(actions: readonly Action[]): Promise<void>;
  /** Creates a Release that is desired but does not exist. */
  ask(release: ReleaseName): Promise<void>;
  close(): Promise<void>;
}

export async function createReleaseStage(world: World, seed: number): Promise<ApplyStage> {
  const id = `kills-${seed}-${crypto.randomUUID().slice(0, 6)}`;
  const places: Places = { own: id, elsewhere: `${id}-elsewhere` };
  const folder = join(world.folder, id);
  await mkdir(folder, { recursive: true });
  for (const name of Object.values(places)) await world.api.create(Namespace, { metadata: { name } });
  const git = await GitServer.create(folder);
  const proxy = await ApiProxy.start({
    ...{ upstream: world.upstream, protocol: "h2", journal: new Journal(id), chance: chanceFrom(seed) },
    onWrite: (write) => {
      if (write.holder === undefined && !write.path.includes("/events")) stage.onWrite?.(write);
    },
  });
  const { program, preload, environment } = world;
  const args = [
    ...Object.values(places).map((name) => `--namespace=${name}`),
    "--releases",
    "--release-file-remotes",
    `--release-cache=${join(folder, "cache")}`,
  ];
  const operator = new OperatorProcess({
    ...{ slot: 0, folder, program, preload, proxy, args, environment },
  });
  const truth = new ReleaseTruth();
  const pushed = new Map<string, string>();
  const stage: ApplyStage = {
    ...{ world, places, git, operator, truth, onWrite: undefined },
    async perform(actions) {
      const done = actions.map((action) => ({ does: truth.change(action), release: action.release }));
      const files = changedFiles(truth, places, pushed);
      if (Object.keys(files).length > 0 && !(await git.commitByOthers(files)))
        throw new Error("Nobody else pushes, and a push was too late");
      for (const { does, release } of done) {
        if (does === "delete" || does === "recreate") await world.api.delete(Release, id, release);
        // A deleted Release may still be terminating. It is created again after its deletion.
        else if (truth.releases.has(release) && !(await isThere(world, id, release))) await this.ask(release);
      }
    },
    async ask(release) {
      const source = { url: `file://${git.path}`, path: release };
      const spec = { source, interval: "5s", render: { manifests: {} } };
      await world.api.apply(Release, { metadata: { name: release, namespace: id }, spec });
    },
    async close() {
      await operator.stop();
      await proxy.close();
      for (const name of Object.values(places)) await world.api.delete(Namespace, undefined, name);
      await rm(folder, { recursive: true, force: true });
    },
  };
  return stage;
}

async function isThere({ api }: World, namespace: string, release: ReleaseName): Promise<boolean> {
  return (await api.list(Release, namespace)).some(({ metadata }) => metadata.name === release);
}

/** Records the changes of the next push, by path; `undefined` deletes. */
function changedFiles(
  truth: ReleaseTruth,
  places: Places,
  pushed: Map<string, string>,
): Record<string, string | undefined> {
  const wanted = new Map<string, string>();
  for (const release of truth.folders.keys())
    for (const [path, text] of Object.entries(truth.filesOf(release, places))) wanted.set(path, text);
  const changes: Record<string, string | undefined> = {};
  for (const path of pushed.keys()) if (!wanted.has(path)) changes[path] = undefined;
  for (const [path, text] of wanted) if (pushed.get(path) !== text) changes[path] = text;
  for (const [path, text] of Object.entries(changes)) {
    if (text === undefined) pushed.delete(path);
    else pushed.set(path, text);
  }
  return changes;
}
