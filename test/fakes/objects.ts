import type { LiveObject, ObjectKind } from "../../crds/object.ts";

/** A kind for tests. */
export const widgets: ObjectKind = {
  group: "example.dev",
  version: "v1alpha1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

export interface LiveObjectOptions {
  readonly kind?: ObjectKind;
  readonly name?: string;
  /** `null` for an object without namespace. */
  readonly namespace?: string | null;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Record<string, string>;
  readonly ours?: boolean;
  readonly metadata?: Partial<LiveObject["metadata"]>;
  /** Further top-level fields: spec, status, data, … */
  readonly fields?: Record<string, unknown>;
}

/** An object as stored by the server; the default of the uid is derived from the name. */
export function aLiveObject(options: LiveObjectOptions = {}): LiveObject {
  const { kind = widgets, name = "web", namespace = "shop" } = options;
  return {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: {
      name,
      ...(kind.namespaced && namespace !== null && { namespace }),
      uid: options.uid ?? `uid-of-${name}`,
      resourceVersion: options.resourceVersion ?? "1",
      ...(options.generation !== undefined && { generation: options.generation }),
      ...(options.labels && { labels: options.labels }),
      ...options.metadata,
    },
    ours: options.ours ?? true,
    ...options.fields,
  };
}
