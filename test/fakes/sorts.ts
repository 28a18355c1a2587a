import { ApiObject, type ApiObjectProps, Chart } from "cdk8s";
import type { Construct } from "constructs";
import type { ChartProps } from "../../crds/binding.ts";
import { ConfigMap, Deployment, Job, Namespace } from "../../crds/core-kinds.ts";
import type { CustomResource, LiveObject } from "../../crds/object.ts";
import type { Manifest } from "../../synth/manifest.ts";
import type { Bench } from "./bench.ts";
import { aGadgetKind } from "./gadget.ts";
import { ReconcileBench } from "./reconcile-bench.ts";
import { ReleaseBench } from "./release-bench.ts";
import { aRelease } from "./releases.ts";

/** A desired object; `needs`: the names of the objects that it needs. */
export type Wanted = Manifest & { readonly needs?: readonly string[] };

export interface SceneOptions {
  /** The ServiceAccount of the resource. */
  readonly account?: string;
}

/** A resource `shop/web` of a sort on its bench, for tests with the same expectations for every sort. */
export interface Scene {
  readonly bench: Bench<CustomResource>;
  /** Its kind, as in requests: `status Gadget/web`. */
  readonly kind: string;
  /** Sets its desired objects without an edit, like a change of the chart or the source. */
  want(...objects: readonly Wanted[]): void;
}

/** Why a sort of resources lacks a capability by design. */
export type Lacks = Partial<Record<"additions", string>>;

/** A sort of resources: custom resources of a kind, or Releases. */
export interface Sort {
  readonly name: string;
  readonly lacks: Lacks;
  begin(wanted: readonly Wanted[], options?: SceneOptions): Scene;
}

type SceneSpec = { readonly objects: readonly Wanted[] };

class SceneChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: Pick<ChartProps<CustomResource>, "resource">) {
    super(scope, id);
    const { objects } = resource.spec as SceneSpec;
    const made = new Map(
      objects.map(({ needs: _, ...object }) => [
        object.metadata.name,
        new ApiObject(this, object.metadata.name, object as ApiObjectProps),
      ]),
    );
    for (const { metadata, needs = [] } of objects)
      for (const need of needs) made.get(metadata.name)?.addDependency(made.get(need) as ApiObject);
  }
}

function aKindScene(wanted: readonly Wanted[], { account }: SceneOptions = {}): Scene {
  const kind = aGadgetKind({
    chart: SceneChart,
    children: [ConfigMap, Deployment, Job, Namespace],
    // As Releases have by default.
    policy: { timeout: () => "5m", ...(account !== undefined && { actAs: () => account }) },
  });
  const bench = new ReconcileBench({ kind, resource: { spec: { objects: wanted } } });
  const want = (...objects: readonly Wanted[]): void => bench.edit({ ...bench.resource, spec: { objects } });
  return { bench, kind: "Gadget", want };
}

function aReleaseScene(wanted: readonly Wanted[], { account }: SceneOptions = {}): Scene {
  const bench = new ReleaseBench();
  let commits = 0;
  const want = (...objects: readonly Wanted[]): void => {
    const placeOf = (name: string) => objects.findIndex(({ metadata }) => metadata.name === name);
    const needs = Object.fromEntries(
      objects.flatMap(({ needs: names = [] }, at) => (names.length === 0 ? [] : [[at, names.map(placeOf)]])),
    );
    const plain = objects.map(({ needs: _, ...object }): Manifest => object);
    bench.commit(String(++commits), plain, { needs });
  };
  want(...wanted);
  bench.edit(aRelease(account === undefined ? {} : { spec: { target: { serviceAccountName: account } } }));
  return { bench: bench as unknown as Bench<CustomResource>, kind: "Release", want };
}

/** Every sort of resources that the engine reconciles. */
export const sorts: readonly Sort[] = [
  {
    name: "a kind",
    lacks: {},
    begin: aKindScene,
  },
  {
    name: "Releases",
    lacks: {
      additions: "a source has manifests of whole objects, and none that adds to one of another owner",
    },
    begin: aReleaseScene,
  },
];

/** The resource with this metadata merged, as a user or the API server changes it. */
export function changeMetadata({ bench }: Scene, more: Partial<LiveObject["metadata"]>): void {
  const resource = bench.resourceAt("shop/web");
  bench.edit({ ...resource, metadata: { ...resource.metadata, ...more } });
}

/** Reconciles until a run has nothing to do, and drops the requests. */
export async function settle({ bench }: Scene): Promise<void> {
  for (let runs = 0; runs < 5; runs++) {
    bench.takeRequests();
    await bench.reconcile();
    if (bench.cluster.requests.length === 0) return;
  }
  throw new Error(`it has still something to do: ${bench.takeRequests().join(", ")}`);
}

/** Requests since the last call with this prefix. */
export function taken({ bench }: Scene, ...verbs: readonly string[]): readonly string[] {
  return bench.takeRequests().filter((request) => verbs.some((verb) => request.startsWith(`${verb} `)));
}

/** The message of a condition of the written status. */
export function messageOf({ bench }: Scene, type: string): string | undefined {
  const { conditions = [] } = (bench.resourceAt("shop/web").status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly message: string }[];
  };
  return conditions.find((condition) => condition.type === type)?.message;
}
