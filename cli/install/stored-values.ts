import { INSTALLATION_LABEL, type Installation, installationIdOf } from "../../charts/installation.ts";
import { ConfigMap } from "../../crds/core-kinds.ts";
import type { Manifest } from "../../synth/manifest.ts";
import { parseValues } from "../../synth/values-text.ts";
import { toYaml } from "../../synth/yaml-text.ts";
import type { InstallClient } from "./install-client.ts";
import type { Values } from "./merge-values.ts";

/** Stored values of an installation. */
export interface StoredValues {
  /** Without the defaults. Values contain no secrets: they reference Secrets. */
  readonly values: Values;
  /** Version of the command that stored them. */
  readonly version: string;
}

/** Name of the ConfigMap with the values of an installation, in its namespace. */
export function nameOfStoredValues({ name }: Installation): string {
  return `${name}-values`;
}

/**
 * The ConfigMap that stores the values for the next run. Pure.
 *
 * @param like An object of the installation: labels and annotations are the same.
 */
export function storedValuesObject(
  { values, version }: StoredValues,
  { installation, like }: { readonly installation: Installation; readonly like: Manifest },
): Manifest {
  const { labels, annotations } = like.metadata;
  const metadata = {
    name: nameOfStoredValues(installation),
    namespace: installation.namespace,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  return {
    apiVersion: "v1",
    kind: ConfigMap.kind,
    metadata,
    data: { "values.yaml": toYaml(values), version },
  };
}

/** Reads the values that an earlier run stored. Undefined: there are none. */
export async function readStoredValues(
  client: Pick<InstallClient, "read">,
  installation: Installation,
): Promise<StoredValues | undefined> {
  const place = { name: nameOfStoredValues(installation), namespace: installation.namespace };
  const live = await client.read(ConfigMap, place);
  // It belongs to another owner: the plan will report that.
  if (live?.metadata.labels?.[INSTALLATION_LABEL] !== installationIdOf(installation)) return undefined;
  const data = (live["data"] ?? {}) as Readonly<Record<string, string>>;
  const file = `ConfigMap ${place.namespace}/${place.name}`;
  return { values: parseValues(data["values.yaml"] ?? "", file), version: data["version"] ?? "" };
}
