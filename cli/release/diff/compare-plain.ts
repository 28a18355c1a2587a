import { apiVersionOf, type CustomResource, type ObjectKind } from "../../../crds/object.ts";
import { inOrder } from "../../../operator/engine/in-order.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../../operator/errors.ts";
import type { Rendered } from "../../../operator/render/ports.ts";
import { idOf, type Manifest } from "../../../synth/manifest.ts";
import type { SynthesizableKind } from "../../../synth/synthesize.ts";
import type { ApiClient } from "../api-client.ts";
import { type Change, changeOf } from "./change.ts";
import type { CompareInput } from "./compare-release.ts";
import { compareResource } from "./compare-resource.ts";

export interface ComparePlainInput extends Pick<CompareInput, "cluster" | "kinds" | "shapeOf"> {
  readonly client: ApiClient;
  /** The kinds of custom resources whose objects are compared as well. */
  readonly bindings: readonly SynthesizableKind[];
  readonly rendered: Pick<Rendered, "manifests">;
  /** Namespace of objects without one. */
  readonly namespace: string;
}

/** Changes of applying manifests unchanged, per object; for custom resources of Fairlead, also of their objects. */
export async function comparePlain({ rendered, ...input }: ComparePlainInput): Promise<readonly Change[]> {
  return (await inOrder(rendered.manifests, (manifest) => compareManifest(manifest, input))).flat();
}

async function compareManifest(
  written: Manifest,
  { cluster, kinds, shapeOf, namespace, client, bindings }: Omit<ComparePlainInput, "rendered">,
): Promise<readonly Change[]> {
  const kind = kinds.find(written.apiVersion, written.kind);
  if (kind === undefined) {
    const { message: note } = kinds.explain(written.apiVersion, written.kind);
    return [changeOf({ id: idOf(written), action: "refused", before: undefined, after: undefined, note })];
  }
  const manifest = placed(written, kind, namespace);
  const id = idOf(manifest);
  try {
    const before = await cluster.read({
      kind,
      name: manifest.metadata.name,
      namespace: manifest.metadata.namespace,
    });
    const guard =
      before === undefined
        ? ({ mode: "create" } as const)
        : ({ mode: "update", uid: before.metadata.uid } as const);
    const after = await cluster.apply(kind, manifest, guard);
    const change = changeOf({ id, before, after });
    const binding = bindings.find(
      ({ definition }) => definition.group === kind.group && definition.kind === kind.kind,
    );
    if (binding === undefined) return [change];
    const parts = { client, binding, cluster, kinds, shapeOf };
    return [change, ...(await compareResource(after as CustomResource, parts))];
  } catch (error) {
    if (!(error instanceof ApiUnavailableError || error instanceof ObjectRejectedError)) throw error;
    return [changeOf({ id, action: "refused", before: undefined, after: undefined, note: error.message })];
  }
}

function placed(manifest: Manifest, kind: ObjectKind, preset: string): Manifest {
  const { namespace = preset, ...metadata } = manifest.metadata;
  const apiVersion = apiVersionOf(kind);
  return { ...manifest, apiVersion, metadata: kind.namespaced ? { ...metadata, namespace } : metadata };
}
