import type { CustomResource, LiveObject, ObjectMeta } from "../../crds/object.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";

export const set = "applyset-web-v1";

/** An Echo `shop/web` that owns objects; `metadata` overrides the defaults. */
export function anOwner(overrides: Partial<CustomResource["metadata"]> = {}): CustomResource {
  return {
    apiVersion: "example.dev/v1alpha1",
    kind: "Echo",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "owner-uid",
      resourceVersion: "1",
      generation: 1,
      ...overrides,
    },
    ours: false,
    spec: {},
  };
}

export interface ManifestOptions {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly digest?: string;
  readonly generation?: number;
  readonly metadata?: Partial<ObjectMeta>;
  readonly fields?: Record<string, unknown>;
}

/** A manifest as synthesize() stamps it for {@link anOwner}. */
export function aManifest(options: ManifestOptions = {}): Manifest {
  const {
    apiVersion = "v1",
    kind = "ConfigMap",
    name = "web",
    digest = "d1",
    generation,
    metadata,
    fields,
  } = options;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: "shop",
      labels: { [stamps.set]: set },
      annotations: {
        [stamps.digest]: digest,
        ...(generation !== undefined && { [stamps.generation]: String(generation) }),
      },
      ownerReferences: [
        {
          apiVersion: "example.dev/v1alpha1",
          kind: "Echo",
          name: "web",
          uid: "owner-uid",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      ...metadata,
    },
    ...fields,
  };
}

/** The object of an applied manifest. */
export function asLive(manifest: Manifest, overrides: Partial<LiveObject["metadata"]> = {}): LiveObject {
  const uid = `uid-of-${manifest.kind}-${manifest.metadata.name}`;
  const metadata = { uid, resourceVersion: "1", ...manifest.metadata, ...overrides };
  return { ...structuredClone(manifest), metadata, ours: true };
}
