import { ApiClient } from "../../../cli/release/api-client.ts";
import { findRelease } from "../../../cli/release/find-release.ts";
import type { ReleaseSession } from "../../../cli/release/release-command.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { FakeApi } from "../release/fake-api.ts";

/** A session in namespace `shop` with an API server that has these objects, by path. */
export function aSession(
  objects: Readonly<Record<string, KubernetesObject>>,
  options: { readonly forbidden?: readonly string[] } = {},
): ReleaseSession {
  const transport = new FakeApi(objects, options);
  const session = { client: new ApiClient(transport), namespace: "shop" };
  return { ...session, transport: transport as never, find: (name) => findRelease(name, session) };
}

export interface APodSetOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

/** A PodSet as the API server has it. */
export function aPodSet({
  name = "web",
  namespace = "shop",
  spec = { size: 1 },
  status,
  metadata,
}: APodSetOptions = {}): KubernetesObject & { readonly metadata: { readonly uid: string } } {
  return {
    apiVersion: "apps.jicki.cn/v1alpha1",
    kind: "PodSet",
    metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: "1", generation: 1, ...metadata },
    ...{ spec, ...(status !== undefined && { status }) },
  };
}
