import type { Construct } from "constructs";
import type { BoundKind } from "../crds/binding.ts";
import { chooseKinds } from "./choose-kinds.ts";
import { CrdsChart } from "./crds-chart.ts";
import { OperatorChart, type OperatorChartProps } from "./operator-chart.ts";
import { type OperatorValues, readOperatorValues } from "./values/operator-values.ts";

export interface InstallChartOptions {
  /** The kinds that the operator is to reconcile; CRDs and permissions follow from them. */
  readonly kinds: readonly BoundKind[];
  /** `samples` and `kinds`, which choose among the shipped kinds, have no meaning here. Releases are off by default. */
  readonly values: Omit<OperatorValues, "samples" | "kinds">;
}

/**
 * Adds to an app everything that installs an operator for some kinds: a chart of CRDs, and one of the rest.
 *
 * @throws {OperatorValuesError} that names every invalid value.
 */
export function installChart(app: Construct, { kinds, values: given }: InstallChartOptions): void {
  // The image of such an operator may not contain the programs that Releases need.
  const values = { ...given, releases: { enabled: false, ...given.releases } };
  addCharts(app, { kinds, values });
}

/**
 * Adds the charts that install the shipped program: with Releases, and with the kinds that the values choose.
 *
 * @throws {OperatorValuesError} that names every invalid value.
 */
export function productChart(
  app: Construct,
  { kinds: shipped, values }: { readonly kinds: readonly BoundKind[]; readonly values: OperatorValues },
): void {
  const { kinds, option } = chooseKinds(shipped, readOperatorValues(values));
  addCharts(app, { kinds, kindsOption: option, values });
}

function addCharts(app: Construct, { kinds, kindsOption, values }: OperatorChartProps): void {
  new CrdsChart(app, "crds", { kinds, releases: readOperatorValues(values).releases.enabled });
  new OperatorChart(app, "operator", { kinds, kindsOption, values });
}
