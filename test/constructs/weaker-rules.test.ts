import { describe, expect, test } from "vitest";
import { weakenedStages } from "../../constructs/weaker-rules.ts";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { Pipeline } from "../../crds/pipeline.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const cel = Object.values(weakenedStages).join("\n").replaceAll(".?", ".");

/** Whether the expressions read a field of the old object: of a stage as `s`. */
function isRead(path: string): boolean {
  const read = path.startsWith("stages.") ? path.replace("stages", "s") : `oldObject.spec.${path}`;
  return new RegExp(`\\b${read.replaceAll(".", "\\.")}\\b`).test(cel);
}

/** The fields that no expression reads. A field whose parts are not read can be compared as a whole. */
function unreadIn({ properties = {} }: Schema, prefix = ""): readonly string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const inner = schema.items?.properties === undefined ? schema : schema.items;
    const isReadInParts = Object.keys(inner.properties ?? {}).some((part) => isRead(`${path}.${part}`));
    if (isReadInParts) return unreadIn(inner, `${path}.`);
    return isRead(path) ? [] : [path];
  });
}

describe("weakenedStages", () => {
  test("reads every field of a Pipeline, except those that open no gate", () => {
    const schema = customResourceDefinitionOf(Pipeline).spec.versions[0]?.schema.openAPIV3Schema;
    const spec = (schema as Schema | undefined)?.properties?.["spec"] ?? {};
    expect(unreadIn(spec).toSorted()).toEqual([
      "historyLimit",
      "interval",
      "serviceAccountName",
      "source.path",
      "source.secretRef",
      "stages.pass.timeout",
      "stages.supersede",
      "suspend",
    ]);
  });
});
