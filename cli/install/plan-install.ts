import { App } from "cdk8s";
import { chooseKinds } from "../../charts/choose-kinds.ts";
import { CrdsChart } from "../../charts/crds-chart.ts";
import {
  INSTALLATION_LABEL,
  type Installation,
  installationIdOf,
  OPERATOR_NAME,
} from "../../charts/installation.ts";
import { OperatorChart } from "../../charts/operator-chart.ts";
import { type OperatorValues, readOperatorValues } from "../../charts/values/operator-values.ts";
import { standardLabels } from "../../crds/names.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import type { Manifest } from "../../synth/manifest.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { installableKinds, kindOf, titleOf } from "./installable-kinds.ts";
import { type StoredValues, storedValuesObject } from "./stored-values.ts";

/** Plan of one run. */
export interface InstallPlan {
  /** The installation's name, one of its values. */
  readonly name: string;
  /** Value of the label of all objects except CRDs. */
  readonly installation: string;
  readonly definitions: readonly Manifest[];
  /** In apply order; none with `crdsOnly`. */
  readonly objects: readonly Manifest[];
}

/** An object with the name of one in the plan belongs to another owner. */
export class ForeignObjectError extends Error {
  override readonly name = "ForeignObjectError";
}

export interface PlanInstallOptions {
  readonly crdsOnly: boolean;
  /** Values to store for the next run. Undefined: nothing is stored. */
  readonly stored?: StoredValues;
  /** Whether the cluster supports MutatingAdmissionPolicies, the default of a value. Default: it does not. */
  readonly hasMutatingPolicies?: boolean | undefined;
}

/** @throws OperatorValuesError that names every invalid value. */
export function planInstall(
  shipped: readonly SynthesizableKind[],
  given: OperatorValues,
  { crdsOnly, stored, hasMutatingPolicies = false }: PlanInstallOptions,
): InstallPlan {
  const values = readOperatorValues(given);
  const { kinds, option } = chooseKinds(shipped, values);
  const policies = { ...given.policies, userDefaults: values.policies.userDefaults ?? hasMutatingPolicies };
  const operator = new OperatorChart(new App(), "operator", {
    kinds,
    kindsOption: option,
    values: { ...given, policies },
  });
  return {
    name: values.name,
    installation: installationIdOf(values),
    definitions: new CrdsChart(new App(), "crds", {
      kinds,
      releases: values.releases.enabled,
    }).toJson() as Manifest[],
    objects: crdsOnly ? [] : sortForInstall(withStored(operator.toJson() as Manifest[], values, stored)),
  };
}

function withStored(
  objects: readonly Manifest[],
  installation: Installation,
  stored: StoredValues | undefined,
): readonly Manifest[] {
  const like = objects.find(({ kind }) => kind === "Deployment");
  if (stored === undefined || like === undefined) return objects;
  return [...objects, storedValuesObject(stored, { installation, like })];
}

/** Permissions and fences exist before the pods start. */
function sortForInstall(objects: readonly Manifest[]): readonly Manifest[] {
  const rank = (object: Manifest) => installableKinds.indexOf(kindOf(object));
  return objects.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Whether an existing object may become part of the installation: it has its label, or was created from the same
 * manifests by other means, before the label existed. A namespace of another owner is not changed.
 *
 * @throws ForeignObjectError for any other object.
 */
export function mayTakeOver(live: KubernetesObject, { installation, name }: InstallPlan): boolean {
  const { labels = {} } = live.metadata;
  const owner = labels[INSTALLATION_LABEL];
  if (owner === installation) return true;
  if (live.kind === "Namespace") return false;
  const isAlike = labels[standardLabels.name] === OPERATOR_NAME && labels[standardLabels.instance] === name;
  if (owner === undefined && isAlike) return true;
  const whose = owner === undefined ? "another owner" : `the installation ${owner} (namespace.name)`;
  throw new ForeignObjectError(
    `Cannot install ${titleOf(live)}: it already exists and belongs to ${whose}; choose another name with --set name=…`,
  );
}
