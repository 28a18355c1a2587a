import {
  CacheBrokenError,
  CredentialsError,
  GitKilledError,
  ObjectFormatError,
  PushRefusedError,
  RepositoryUnreachableError,
} from "../git-errors.ts";
import { redact, toMessageText } from "../redact.ts";
import { type ErrorBody, errorBody, MESSAGE } from "./messages.ts";
import { isKilled } from "./publish-failure.ts";

/** What the operator may know of an error of the zone: users see it. Pure. */
export function describePublishError(error: unknown): ErrorBody {
  const said = error instanceof Error ? error.message : String(error);
  const message = toMessageText(redact(said, []), MESSAGE);
  return { reason: reasonOf(error), message, killed: isKilled(error) };
}

function reasonOf(error: unknown): ErrorBody["reason"] {
  if (error instanceof CredentialsError) return "Credentials";
  if (error instanceof CacheBrokenError) return "CacheBroken";
  if (error instanceof ObjectFormatError) return "ObjectFormat";
  if (error instanceof PushRefusedError) return "PushRefused";
  return "RepositoryUnreachable";
}

/** The error that the body of an error answer stands for. The zone's message is untrusted text. Pure. */
export function readPublishError(body: unknown): Error {
  const { data } = errorBody.safeParse(body);
  if (data === undefined)
    return new RepositoryUnreachableError("The process that commits and pushes failed; see its log");
  const message = redact(data.message, []);
  switch (data.reason) {
    case "Credentials":
      return new CredentialsError(message);
    case "CacheBroken":
      return new CacheBrokenError(message);
    case "ObjectFormat":
      return new ObjectFormatError(message);
    case "PushRefused":
      return new PushRefusedError(message);
    case "RepositoryUnreachable":
      return new RepositoryUnreachableError(
        message,
        data.killed ? { cause: new GitKilledError(message) } : undefined,
      );
  }
}
