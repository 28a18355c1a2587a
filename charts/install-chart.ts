import type { Construct } from "constructs";
import type { BoundKind } from "../crds/binding.ts";
import { CrdsChart } from "./crds-chart.ts";
import { OperatorChart } from "./operator-chart.ts";
import { type OperatorValues, readOperatorValues } from "./values/operator-values.ts";

export interface InstallChartOptions {
  /** The kinds that the operator is to reconcile; CRDs and rights follow from them. */
  readonly kinds: readonly BoundKind[];
  readonly values: OperatorValues;
}

/**
 * Adds everything that installs an operator for some kinds to an app: a chart of CRDs, and one of the rest.
 *
 * @throws {OperatorValuesError} that names every wrong value.
 */
export function installChart(app: Construct, { kinds, values }: InstallChartOptions): void {
  new CrdsChart(app, "crds", { kinds, releases: readOperatorValues(values).releases.enabled });
  new OperatorChart(app, "operator", { kinds, values });
}
