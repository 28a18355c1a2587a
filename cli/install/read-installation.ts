import {
  INSTALLATION_LABEL,
  type Installation,
  installationIdOf,
  OPERATOR_NAME,
} from "../../charts/installation.ts";
import { ClusterRole, CustomResourceDefinition, Deployment, Role } from "../../crds/core-kinds.ts";
import { standardLabels } from "../../crds/names.ts";
import { groupKindOf } from "../../crds/object.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { LiveInstallation } from "./derive-values.ts";
import type { InstallClient } from "./install-client.ts";

/** As much of a Deployment as says how the operator was installed. */
interface LiveDeployment {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly { readonly name: string; readonly args?: readonly string[] }[];
        readonly volumes?: readonly {
          readonly name: string;
          readonly secret?: { readonly secretName?: string };
        }[];
      };
    };
  };
}

/** Reads what the objects of an installation say about its values. Undefined: there is no installation. */
export async function readInstallation(
  client: Pick<InstallClient, "read">,
  { shipped, ...installation }: Installation & { readonly shipped: readonly SynthesizableKind[] },
): Promise<LiveInstallation | undefined> {
  const { name, namespace } = installation;
  const live = await client.read(Deployment, { name, namespace });
  const labels = live?.metadata.labels ?? {};
  const owner = labels[INSTALLATION_LABEL];
  const isAlike = owner === undefined && labels[standardLabels.name] === OPERATOR_NAME;
  if (live === undefined || !(owner === installationIdOf(installation) || isAlike)) return undefined;
  const { containers = [], volumes = [] } = (live as LiveDeployment).spec?.template?.spec ?? {};
  const args = containers.find((container) => container.name === "operator")?.args ?? [];
  const [watched] = args.flatMap((arg) => /^--namespace=(.*)$/.exec(arg)?.slice(1) ?? []);
  const role =
    watched === undefined
      ? await client.read(ClusterRole, { name })
      : await client.read(Role, { name, namespace: watched });
  const names = shipped.map(({ definition }) => groupKindOf(definition));
  const definitions = await Promise.all(
    names.map((definition) => client.read(CustomResourceDefinition, { name: definition })),
  );
  return {
    args,
    rules: (role?.["rules"] ?? []) as LiveInstallation["rules"],
    credentialsSecret: volumes.find((volume) => volume.name === "repository")?.secret?.secretName,
    shipped: names,
    defined: names.filter((_, index) => definitions[index] !== undefined),
  };
}
