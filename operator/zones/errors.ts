/** The other side broke the protocol between zones: the connection to it is closed. */
export class ZoneProtocolError extends Error {
  override readonly name = "ZoneProtocolError";

  constructor(zone: string, what: string, options?: ErrorOptions) {
    super(`The ${zone} zone violated the protocol: ${what}`, options);
  }
}

/** The connection ended during a request: its outcome is unknown. */
export class ZoneLostError extends Error {
  override readonly name = "ZoneLostError";

  constructor(zone: string, options?: ErrorOptions) {
    super(`Lost the connection to the ${zone} zone`, options);
  }
}

/** No connection could be made in time. */
export class ZoneUnavailableError extends Error {
  override readonly name = "ZoneUnavailableError";

  constructor(zone: string, options?: ErrorOptions) {
    super(`The ${zone} zone is not available`, options);
  }
}

/** The zone did not answer before the deadline of a request. */
export class ZoneDeadlineError extends Error {
  override readonly name = "ZoneDeadlineError";

  constructor(zone: string, deadlineMs: number) {
    super(`The ${zone} zone did not respond within ${deadlineMs / 1_000} s`);
  }
}

/** The other side could not fulfil a request. `body` contains the reason, and is untrusted. */
export class ZoneAnswerError extends Error {
  override readonly name = "ZoneAnswerError";
  readonly body: unknown;

  constructor(body: unknown) {
    super("The zone answered with an error");
    this.body = body;
  }
}
