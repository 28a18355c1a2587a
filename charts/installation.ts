import { labelValue, standardLabels } from "../crds/names.ts";

/** Label of all objects of one installation, except CRDs: they may serve several. */
export const INSTALLATION_LABEL = "fairlead.dev/installation";

/** Value of `app.kubernetes.io/name` of the operator's own objects. */
export const OPERATOR_NAME = "fairlead";

export interface Installation {
  readonly name: string;
  readonly namespace: string;
}

/** Value of the label {@link INSTALLATION_LABEL}. */
export function installationIdOf({ name, namespace }: Installation): string {
  return labelValue(`${namespace}.${name}`);
}

/** Labels that select an operator's pods; they never change, because a Deployment's selector is immutable. */
export function podSelectorOf({ name }: Installation): Readonly<Record<string, string>> {
  return { [standardLabels.name]: OPERATOR_NAME, [standardLabels.instance]: name };
}
