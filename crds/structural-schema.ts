/** The subset of OpenAPI v3 that a CRD accepts: a "structural" schema, whose keywords are all plain JSON. */
export interface StructuralSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

/** A rule in CEL, below `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
}

/** A schema cannot be expressed in a CRD. Thrown where kinds are declared, never while the operator runs. */
export class UnstructurableSchemaError extends Error {
  override readonly name = "UnstructurableSchemaError";
  /** Path in the resource: `spec.ports[].name`; `*` stands for any key. */
  readonly path: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Cannot put "${path}" into a CRD: ${reason}`, options);
    this.path = path;
  }
}
