import { ApiClient } from "../../../cli/release/api-client.ts";
import { kubectlLine } from "../../../cli/release/command-line.ts";
import { findRelease } from "../../../cli/release/find-release.ts";
import type { ReleaseSession } from "../../../cli/release/release-command.ts";
import type { PasteableCommands } from "../../../cli/why/remedies.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { FakeApi } from "../release/fake-api.ts";

/** Commands as printed for a caller who specified a kubeconfig. */
export const someCommands: PasteableCommands = {
  fairlead: (...words) => `fairlead ${words.join(" ")}`,
  kubectl: (...words) => kubectlLine(words, { kubeconfig: "/tmp/kube" }),
  operatorLog: "fairlead logs",
};

/** A session in namespace `shop` with an API server that has these objects, by path. */
export function aSession(
  objects: Readonly<Record<string, KubernetesObject>>,
  options: { readonly forbidden?: readonly string[]; readonly unserved?: readonly string[] } = {},
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

/** A PodSet as stored by the API server. */
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

interface Served {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

const served = ({ group, plural, kind }: Served) => ({
  metadata: { name: group },
  versions: [
    {
      version: "v1",
      resources: [
        {
          resource: plural,
          responseKind: { group, version: "v1", kind },
          scope: "Namespaced",
          verbs: ["get", "list", "watch", "create", "patch", "delete"],
        },
      ],
    },
  ],
});

/** Discovery of an API server with Deployments, and Greetings of another program. */
export const discovery: Readonly<Record<string, KubernetesObject>> = {
  "/apis": {
    apiVersion: "apidiscovery.k8s.io/v2",
    kind: "APIGroupDiscoveryList",
    metadata: { name: "" },
    items: [
      served({ group: "apps", plural: "deployments", kind: "Deployment" }),
      served({ group: "example.dev", plural: "greetings", kind: "Greeting" }),
    ],
  },
};

/** A Greeting as stored by the API server. */
export function aGreeting(
  status?: object,
): KubernetesObject & { readonly metadata: { readonly uid: string } } {
  return {
    apiVersion: "example.dev/v1",
    kind: "Greeting",
    metadata: { name: "hello", namespace: "shop", uid: "uid-hello", resourceVersion: "1", generation: 1 },
    ...{ spec: { text: "Ahoy" }, ...(status !== undefined && { status }) },
  };
}
