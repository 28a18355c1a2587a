import type { ReleaseFailure, ReleaseFailureReason } from "./ports.ts";

/** Something of a Release's source or render that a condition must tell. The message never holds a secret. */
export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
  readonly reason: ReleaseFailureReason;

  constructor(reason: ReleaseFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  get failure(): ReleaseFailure {
    return { reason: this.reason, message: this.message };
  }
}

/** A request for a Release that names no ServiceAccount, where this operator requires one. It was not sent. */
export class AccountRequiredError extends Error {
  override readonly name = "AccountRequiredError";

  constructor() {
    super("Cannot act for a Release that names no ServiceAccount");
  }
}

/** The process that renders a source ended each time that it did: by the limit of its memory, as far as anybody can know. */
export class RenderEndedError extends ReleaseError {
  constructor() {
    super(
      "RenderLimit",
      "the process that renders this source ended each time: the source takes too much memory or time; retried later",
    );
  }
}
