import type { SecretReader } from "../../cluster/found-kinds/ports.ts";
import type { SourceState } from "../../git/source/ports.ts";

export interface SourceSecret {
  readonly namespace: string;
  /** The Secret with the credentials; undefined: the source has none. */
  readonly secretRef: { readonly name: string } | undefined;
}

/**
 * Forgets the Secret of a source whose remote refused the credentials, also if an earlier revision is still in use. The next
 * run reads it again: corrected credentials must not wait until the cached ones expire.
 *
 * @returns Whether they were refused. Then run again after a while, because Secrets are not watched.
 */
export function forgetRefused(
  source: SourceState,
  { namespace, secretRef }: SourceSecret,
  secrets: Pick<SecretReader, "forget">,
): boolean {
  if (failureOf(source)?.reason !== "SourceRefused") return false;
  if (secretRef !== undefined) secrets.forget({ namespace, name: secretRef.name });
  return true;
}

/** Why the last poll failed; undefined: it did not. */
function failureOf(source: SourceState): { readonly reason: string } | undefined {
  if (source.state === "failed") return source.failure;
  return source.state === "ready" ? source.stale : undefined;
}
