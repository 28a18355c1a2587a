import {
  INSTALLATION_LABEL,
  type Installation,
  installationIdOf,
  OPERATOR_NAME,
} from "../../charts/installation.ts";
import { operatorRulesOf } from "../../constructs/operator-role.ts";
import { ClusterRole, CustomResourceDefinition, Deployment, Role } from "../../crds/core-kinds.ts";
import { standardLabels } from "../../crds/names.ts";
import { groupKindOf, type KubernetesObject } from "../../crds/object.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { Rule } from "./derive-rights.ts";
import type { LiveInstallation } from "./derive-values.ts";
import type { InstallClient } from "./install-client.ts";

/** The fields of a Deployment that contain the options of the installation. */
interface LiveDeployment {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly imagePullSecrets?: readonly { readonly name: string }[];
        readonly containers?: readonly {
          readonly name: string;
          readonly args?: readonly string[];
          readonly imagePullPolicy?: string;
        }[];
        readonly volumes?: readonly {
          readonly name: string;
          readonly secret?: { readonly secretName?: string };
        }[];
      };
    };
  };
}

/** Reads the values of an installation from its objects. Undefined: there is no installation. */
export async function readInstallation(
  client: Pick<InstallClient, "read">,
  { kinds, ...installation }: Installation & { readonly kinds: readonly SynthesizableKind[] },
): Promise<LiveInstallation | undefined> {
  const { name, namespace } = installation;
  const live = await client.read(Deployment, { name, namespace });
  const labels = live?.metadata.labels ?? {};
  const owner = labels[INSTALLATION_LABEL];
  const isAlike = owner === undefined && labels[standardLabels.name] === OPERATOR_NAME;
  if (live === undefined || !(owner === installationIdOf(installation) || isAlike)) return undefined;
  const { replicas, template } = (live as LiveDeployment).spec ?? {};
  const { containers = [], volumes = [], imagePullSecrets = [] } = template?.spec ?? {};
  const { args = [], imagePullPolicy } = containers.find((container) => container.name === "operator") ?? {};
  const [watched] = args.flatMap((arg) => /^--namespace=(.*)$/.exec(arg)?.slice(1) ?? []);
  const role =
    watched === undefined
      ? await client.read(ClusterRole, { name })
      : await client.read(Role, { name, namespace: watched });
  const cluster =
    watched === undefined ? undefined : await client.read(ClusterRole, { name: `${name}-cluster` });
  const definitions = await Promise.all(
    kinds.map(({ definition }) => client.read(CustomResourceDefinition, { name: groupKindOf(definition) })),
  );
  const there = kinds.filter((_, index) => definitions[index] !== undefined);
  // No value contains the kinds that are installed with Releases.
  const [shipped, defined] = [namesOf(kinds), namesOf(there)];
  const [option] = args.flatMap((arg) => /^--kinds=(.*)$/.exec(arg)?.slice(1) ?? []);
  const named = option?.split(",") ?? defined;
  const hasPipelines = !args.includes("--release-pipelines=false");
  const reconciled = kinds.filter(
    (kind) =>
      named.includes(groupKindOf(kind.definition)) ||
      (kind.needsReleases && hasPipelines && there.includes(kind)),
  );
  return {
    args,
    replicas,
    imagePullPolicy,
    imagePullSecrets: imagePullSecrets.map((secret) => secret.name),
    rules: rulesOf(role),
    clusterRules: rulesOf(cluster),
    neededRules: neededRulesOf(args, reconciled),
    credentialsSecret: volumes.find((volume) => volume.name === "repository")?.secret?.secretName,
    shipped,
    defined,
  };
}

function namesOf(kinds: readonly SynthesizableKind[]): readonly string[] {
  return kinds.filter(({ needsReleases }) => !needsReleases).map(({ definition }) => groupKindOf(definition));
}

function rulesOf(role: KubernetesObject | undefined): readonly Rule[] {
  return (role?.["rules"] ?? []) as readonly Rule[];
}

/** The permissions that this release grants an operator with these options, whatever Releases may deploy. */
function neededRulesOf(args: readonly string[], kinds: readonly SynthesizableKind[]): readonly Rule[] {
  const releases = {
    kinds: [],
    watchAll: false,
    readSecrets: false,
    impersonate: false,
    serviceAccounts: [],
    requireServiceAccount: args.includes("--release-require-service-account=true"),
  };
  const { namespaced, cluster } = operatorRulesOf(kinds, { releases });
  return [...namespaced, ...cluster];
}
