import { expect } from "vitest";
import { ConfigMap } from "../../crds/core-kinds.ts";
import { groupKindOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { KubeFoundStores } from "../../operator/cluster/found-kinds/found-stores.ts";
import type { WatchError } from "../../operator/errors.ts";
import { KindStores } from "../../operator/runtime/kind-stores.ts";
import { stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { FakeClock } from "./fake-clock.ts";
import { aGadgetKind } from "./gadget.ts";
import { RecordingLogger } from "./recording-logger.ts";
import { ScriptedWatchSource } from "./scripted-watch-source.ts";

/** The set of a Release of the namespace shop. */
export const setFor = (name: string, namespace = "shop") => setOf(Release, { metadata: { name, namespace } });
/** The labels of an object of its set. */
export const inSet = (name: string) => ({ labels: { [stamps.set]: setFor(name) } });
const releaseBinding = {
  ...aGadgetKind({ children: [] }),
  definition: Release,
};

/** The objects that both Releases have recorded, so that one may move from one to the other. */
const recorded = [
  "apps/Deployment/shop/web",
  "apps/Deployment/west/web",
  "/Secret/shop/token",
  "/ConfigMap/shop/settings",
  "apiextensions.k8s.io/CustomResourceDefinition//widgets.example.dev",
];

/**
 * Stores of Releases with servers in memory; the Releases a and b of the namespace shop exist.
 *
 * @param runs Whether they run from the beginning, or from a call of `run`.
 */
export async function aScene({ namespaces = [] as readonly string[], runs = true } = {}) {
  const clock = new FakeClock();
  const log = new RecordingLogger();
  const sources = new Map<string, ScriptedWatchSource>();
  const keys: string[] = [];
  const gone: string[] = [];
  const learnt: string[] = [];
  const stop = new AbortController();
  const nameOf = (kind: ObjectKind, namespace?: string) =>
    `${groupKindOf(kind)}/${kind.version}${namespace === undefined ? "" : ` in ${namespace}`}`;
  /** The server's content from the first request on. */
  const refusals = new Map<string, () => WatchError>();
  const input = {
    namespaces,
    clock,
    random: () => 0,
    log,
    sourceOf: (kind: ObjectKind, { namespace }: { namespace: string | undefined }) => {
      const name = nameOf(kind, namespace);
      const source = new ScriptedWatchSource(clock, kind);
      source.intercept = () => refusals.get(name)?.();
      sources.set(name, source);
      return source;
    },
  };
  const kindStores = new KindStores({
    ...input,
    kinds: [aGadgetKind({ children: [ConfigMap] }), releaseBinding],
  });
  const stores = new KubeFoundStores({
    ...input,
    stores: kindStores,
    resources: kindStores.resources(Release),
    queue: { add: (key, { priority } = {}) => void keys.push(`${key}${priority ? ` ${priority}` : ""}`) },
    catalog: {
      learn: ({ metadata }) => void learnt.push(`learn ${metadata.name}`),
      unlearn: ({ metadata }) => void learnt.push(`unlearn ${metadata.name}`),
      refresh: () => void learnt.push("refresh"),
    },
    onObjectGone: (object: LiveObject, owners) => {
      gone.push(`${object.metadata.name} of ${owners.join()}`);
      return [];
    },
  });
  const source = (kind: ObjectKind, namespace?: string) =>
    sources.get(nameOf(kind, namespace)) ?? expect.fail(`nothing watches ${nameOf(kind, namespace)}`);
  for (const name of ["a", "b"])
    source(Release, namespaces[0]).put({ name, fields: { status: { inventory: { entries: recorded } } } });
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= kindStores.run(stop.signal);
  };
  if (runs) run();
  await clock.settle();
  const take = async () => {
    await clock.settle();
    return keys.splice(0);
  };
  return {
    clock,
    log,
    stores,
    source,
    sources,
    run,
    take,
    gone,
    learnt,
    refusals,
    async end() {
      stop.abort();
      await running;
    },
  };
}
