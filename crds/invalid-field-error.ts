/** A spec that its schema accepts cannot be converted to valid objects: thrown by charts, reported to the user. */
export class InvalidFieldError extends Error {
  override readonly name = "InvalidFieldError";
  /** Path of the field, such as `spec.ports[1].targetPort`. */
  readonly field: string;

  constructor(field: string, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.field = field;
  }
}
