import { App } from "cdk8s";
import { expect } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { OperatorChart } from "../../charts/operator-chart.ts";
import type { OperatorValues } from "../../charts/values/operator-values.ts";
import { type OperatorConfig, operatorOptions, readOperatorConfig } from "../../operator/config.ts";

export interface Made {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

interface PodTemplate {
  readonly metadata: Pick<Made["metadata"], "labels" | "annotations">;
  readonly spec: {
    readonly containers: readonly [{ readonly args: readonly string[]; readonly [field: string]: unknown }];
    readonly [field: string]: unknown;
  };
}

/** The objects that install the operator for the shipped kinds; without Releases, unless the values enable them. */
export function install(values: Partial<OperatorValues> = {}): readonly Made[] {
  return new OperatorChart(new App(), "operator", {
    kinds,
    values: { image: "fairlead:1", ...values, releases: { enabled: false, ...values.releases } },
  }).toJson();
}

/** `Deployment fairlead-system/fairlead`. */
export function idOf({ kind, metadata }: Made): string {
  return `${kind} ${metadata.namespace ?? "-"}/${metadata.name}`;
}

/** The only object of a kind. */
export function the(kind: string, objects: readonly Made[]): Made {
  const [one, ...others] = objects.filter((object) => object.kind === kind);
  if (one === undefined || others.length > 0) throw new Error(`${others.length + 1} of ${kind}, not 1`);
  return one;
}

export function podOf(objects: readonly Made[]): PodTemplate {
  return (the("Deployment", objects)["spec"] as { readonly template: PodTemplate }).template;
}

/** The options of `fairlead run` from the container's arguments. */
export function configOf(objects: readonly Made[]): OperatorConfig {
  const [command, ...args] = podOf(objects).spec.containers[0].args;
  expect(command).toBe("run");
  const texts: Record<string, string | string[]> = {};
  for (const arg of args) {
    const [, flag = "", value = ""] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
    const [name, option] =
      Object.entries(operatorOptions).find(([, { flag: known }]) => known === flag) ?? [];
    if (name === undefined || option === undefined) throw new Error(`no option ${arg}`);
    texts[name] = "repeatable" in option ? [...(texts[name] ?? []), value] : value;
  }
  return readOperatorConfig(texts, {});
}
