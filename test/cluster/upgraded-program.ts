import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { kinds } from "../../charts/bindings.ts";
import type { BoundKind } from "../../crds/binding.ts";
import { runOperator } from "../../index.ts";

/** The operator that ships, in a version whose charts put one more label on every child, on Jobs' templates too. */
const next = kinds.map((kind): BoundKind<Construct> => {
  const Before = kind.chart as new (...args: ConstructorParameters<typeof kind.chart>) => Construct;
  class After extends Before {
    constructor(...args: ConstructorParameters<typeof kind.chart>) {
      super(...args);
      for (const object of this.node.findAll().filter(ApiObject.isApiObject)) addLabel(object);
    }
  }
  return { ...kind, chart: After };
});

function addLabel(object: ApiObject): void {
  const label = { "stories.fairlead.dev/version": "next" };
  object.metadata.addLabel("stories.fairlead.dev/version", "next");
  const template = { metadata: { labels: label } };
  if (object.kind === "Job") mergeInto(object, { template });
  if (object.kind === "CronJob") mergeInto(object, { jobTemplate: { spec: { template } } });
}
process.exitCode = await runOperator({ kinds: next });
