import { INSTALLATION_LABEL, OPERATOR_NAME } from "../../charts/installation.ts";
import { type OperatorValues, readOperatorValues } from "../../charts/values/operator-values.ts";
import { CustomResourceDefinition, Deployment } from "../../crds/core-kinds.ts";
import { standardLabels } from "../../crds/names.ts";
import { groupKindOf, type KubernetesObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { quoteForShell } from "../shell-text.ts";
import type { Change } from "./install.ts";
import { FIELD_MANAGER, type InstallClient } from "./install-client.ts";
import { titleOf } from "./installable-kinds.ts";
import type { InstallPlan } from "./plan-install.ts";
import { countOf } from "./remove-resources.ts";

const mostNames = 5;

/**
 * Lines for users that list the Releases which the values reject because they have no ServiceAccount. Empty if Releases
 * may not be listed.
 */
export async function noteRefusedReleases(
  client: Pick<InstallClient, "listIfAllowed">,
  values: OperatorValues,
): Promise<readonly string[]> {
  const { releases, watchedNamespaces } = readOperatorValues(values);
  if (!releases.enabled || !releases.requireServiceAccount) return [];
  if (releases.policy.serviceAccountName !== undefined) return [];
  const isWatched = (namespace = "") =>
    watchedNamespaces.length === 0 || watchedNamespaces.includes(namespace);
  const refused = ((await client.listIfAllowed(Release)) ?? [])
    .filter(({ metadata }) => isWatched(metadata.namespace))
    .filter((release) => !namesAccount(release["spec"]))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  if (refused.length === 0) return [];
  const names = refused.slice(0, mostNames).join(", ");
  const more = refused.length > mostNames ? ` and ${refused.length - mostNames} more` : "";
  const policies = await client.listIfAllowed(ReleasePolicy);
  const unless = policies?.length === 0 ? "" : ", unless a ReleasePolicy names one";
  return [
    `Releases that name no ServiceAccount: ${names}${more}. They are refused${unless}: their deployed objects stay, but are not ` +
      "updated. Set spec.target.serviceAccountName, or deploy them with the operator's own rights: --set releases.requireServiceAccount=false",
  ];
}

function namesAccount(spec: unknown): boolean {
  const { target } = (spec ?? {}) as { readonly target?: { readonly serviceAccountName?: string } };
  return target?.serviceAccountName !== undefined;
}

export interface LeftDefinitions {
  readonly changes: readonly Change[];
  /** Advice about resources that no operator reconciles, as lines of text. */
  readonly hints: readonly string[];
}

/**
 * Finds the CustomResourceDefinitions of built-in kinds that the installation no longer contains. They are never deleted
 * here, because their resources would be deleted with them. Kinds that the user may not list are not reported.
 */
export async function findLeftDefinitions(
  client: Pick<InstallClient, "listIfAllowed" | "readIfAllowed">,
  { definitions, installation }: InstallPlan,
  { shipped, kinds }: { readonly shipped: readonly SynthesizableKind[]; readonly kinds: readonly string[] },
): Promise<LeftDefinitions> {
  const wanted = new Set(definitions.map(({ metadata }) => metadata.name));
  const operators = await client.listIfAllowed(Deployment, `${standardLabels.name}=${OPERATOR_NAME}`);
  const isOther = ({ metadata }: KubernetesObject) => metadata.labels?.[INSTALLATION_LABEL] !== installation;
  // Another installation may reconcile them.
  if (operators === undefined || operators.some(isOther)) return { changes: [], hints: [] };
  const changes: Change[] = [];
  const inUse: string[] = [];
  for (const { definition } of shipped) {
    const name = groupKindOf(definition);
    if (wanted.has(name)) continue;
    const live = await client.readIfAllowed(CustomResourceDefinition, { name });
    const isOurs = live?.metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER);
    if (live === undefined || isOurs !== true) continue;
    const resources = await client.listIfAllowed(definition);
    if (resources === undefined) continue;
    if (resources.length > 0) inUse.push(definition.kind);
    const note =
      resources.length === 0
        ? `not one of the installed kinds; kubectl delete crd ${name} removes it`
        : `${countOf({ kind: definition, resources })} not reconciled`;
    changes.push({ did: "left", title: titleOf(live), note });
  }
  // A list replaces the stored one, so it includes the existing kinds too.
  const setting = quoteForShell(`kinds=[${[...kinds, ...inUse].join(",")}]`);
  return {
    changes,
    hints: inUse.length === 0 ? [] : [`To reconcile them: --set ${setting}`],
  };
}
