import { ApiObject, JsonPatch } from "cdk8s";
import type { Construct } from "constructs";
import { kinds } from "../../charts/bindings.ts";
import type { BoundKind } from "../../crds/binding.ts";
import { runOperator } from "../../index.ts";

/** The shipped operator, changed so that its charts set an additional label on every child, including Jobs' templates. */
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
  object.metadata.addLabel("tests.fairlead.dev/version", "next");
  const template = { Job: "/spec/template", CronJob: "/spec/jobTemplate/spec/template" }[object.kind];
  if (template === undefined) return;
  object.addJsonPatch(JsonPatch.add(`${template}/metadata/labels/tests.fairlead.dev~1version`, "next"));
}

process.exitCode = await runOperator({ kinds: next });
