/** A spec that its schema accepts cannot be turned into valid objects: thrown by charts, told to the user. */
export class InvalidFieldError extends Error {
  override readonly name = "InvalidFieldError";
  /** Path of the field, such as `spec.ports[1].targetPort`. */
  readonly field: string;

  constructor(field: string, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.field = field;
  }
}
