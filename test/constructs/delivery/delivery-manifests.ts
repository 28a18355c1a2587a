import { App, Chart } from "cdk8s";
import { Pipeline, type PipelineProps } from "../../../constructs/delivery/index.ts";

export const url = "https://git.example.dev/team/shop.git";

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly stages?: readonly object[] };
}

/** The manifests of a program with one Pipeline. */
export function manifestsOf(
  add: (pipeline: Pipeline) => void,
  props: Partial<PipelineProps> = {},
): Manifest[] {
  const chart = new Chart(new App(), "delivery");
  add(new Pipeline(chart, "shop", { name: "shop", namespace: "delivery", source: { url }, ...props }));
  return chart.toJson() as Manifest[];
}
