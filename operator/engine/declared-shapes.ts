import type { DeclaredKind } from "../../crds/binding.ts";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import type { KindDefinition } from "../../crds/kind.ts";
import { apiVersionOf, type ObjectKind } from "../../crds/object.ts";
import { UnstructurableSchemaError } from "../../crds/structural-schema.ts";
import type { FieldShape, ShapeOf } from "./field-shape.ts";
import { builtInShapeOf } from "./kind-shapes.ts";
import { shapeOfResource } from "./schema-shape.ts";

/**
 * Creates the function that returns the shapes of all kinds: of declared kinds according to their schemas, and of others
 * as in {@link builtInShapeOf}. The shapes of a declared kind are computed once, when the first of its objects is compared.
 *
 * @param kinds Their children and related kinds count as well, if they are declared.
 */
export function createShapeOf(kinds: readonly DeclaredKind[]): ShapeOf {
  const declared = new Map<string, () => FieldShape | undefined>();
  const others = kinds.flatMap(({ children, related }) => [...children, ...related.map(({ kind }) => kind)]);
  for (const definition of [...kinds.map((kind) => kind.definition), ...others.filter(isDefinition)]) {
    let shapes: ReadonlyMap<string, FieldShape> | undefined;
    const { group, kind, versions } = definition;
    for (const { name } of versions) {
      const id = idOf({ apiVersion: apiVersionOf({ group, version: name }), kind });
      if (declared.has(id)) continue;
      declared.set(id, () => {
        shapes ??= shapesOf(definition);
        return shapes.get(name);
      });
    }
  }
  return (object) => declared.get(idOf(object))?.() ?? builtInShapeOf(object);
}

function idOf({ apiVersion, kind }: Parameters<ShapeOf>[0]): string {
  return `${apiVersion}/${kind}`;
}

/** Whether it is a kind with its schemas, and not only its names. */
function isDefinition(kind: ObjectKind): kind is KindDefinition {
  return "versions" in kind;
}

/** The shapes of a kind, by version. */
function shapesOf(definition: KindDefinition): ReadonlyMap<string, FieldShape> {
  try {
    const { versions } = customResourceDefinitionOf(definition).spec;
    return new Map(versions.map(({ name, schema }) => [name, shapeOfResource(schema.openAPIV3Schema)]));
  } catch (error) {
    // No CRD can have been created from the declaration, so the schema in the cluster is not known.
    if (error instanceof UnstructurableSchemaError) return new Map();
    throw error;
  }
}
