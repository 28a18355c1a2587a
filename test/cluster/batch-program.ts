import type { Construct } from "constructs";
import { runOperator } from "../../index.ts";
import { batch } from "../fakes/batch-kind.ts";

/**
 * An operator of Batches. `BATCH_DIES_AT`: the operator exits when its chart receives a record with this number of finished
 * runs.
 */
const diesAt = Number(process.env["BATCH_DIES_AT"] ?? -1);

type ChartArguments = ConstructorParameters<typeof batch.chart>;
const Chart = batch.chart as new (...args: ChartArguments) => Construct;

class DyingChart extends Chart {
  constructor(...args: ChartArguments) {
    super(...args);
    const { record } = args[2] as unknown as { readonly record: { readonly finished: number } };
    if (record.finished === diesAt) process.kill(process.pid, "SIGKILL");
  }
}

process.exitCode = await runOperator({ kinds: [{ ...batch, chart: DyingChart }] });
