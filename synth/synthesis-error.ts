/** A resource cannot be converted to manifests until it (or its chart) is edited. */
export class SynthesisError extends Error {
  override readonly name = "SynthesisError";
  /** Path of the invalid field, such as `spec.ports[1].port`, if there is a single one. */
  readonly field: string | undefined;
  /** Why, without the name of the resource. */
  readonly reason: string;

  constructor(resource: string, reason: string, options: ErrorOptions & { field?: string | undefined } = {}) {
    const where = options.field === undefined ? "" : `${options.field}: `;
    super(`Cannot synthesize "${resource}": ${where}${reason}`, options);
    this.field = options.field;
    this.reason = reason;
  }
}
