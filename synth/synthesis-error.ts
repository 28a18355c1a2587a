/** A resource cannot be turned into manifests, and never will be until it is edited (or its chart is). */
export class SynthesisError extends Error {
  override readonly name = "SynthesisError";
  /** Path of the field that is wrong, such as `spec.ports[1].port`, where one field is to blame. */
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
