import { kindIn } from "../../../synth/manifest.ts";
import type { KindCatalog } from "../../cluster/found-kinds/ports.ts";
import { type ApplyOutcome, describeFailure } from "../../engine/outcome.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../errors.ts";

/**
 * The outcome of an apply that failed because the API server does not serve a recently accepted CRD yet. It is retried, and
 * neither stalled nor reported. Undefined: the failure has another cause. Pure.
 */
export function explainByDefinition(
  error: unknown,
  catalog: Pick<KindCatalog, "isDefinitionNew">,
): ApplyOutcome | undefined {
  if (error instanceof ApiUnavailableError && error.unknownKind !== undefined)
    return catalog.isDefinitionNew(error.unknownKind) ? { state: "retry" } : undefined;
  if (!(error instanceof ObjectRejectedError) || !error.isBySchema) return undefined;
  if (!catalog.isDefinitionNew(kindIn(error.id))) return undefined;
  const refused = describeFailure(error, "");
  const why = refused.state === "refused" ? `. ${refused.message}` : "";
  const message = `Waiting for the API server to serve the new CustomResourceDefinition${why}`;
  return { state: "waiting", message, isWatched: true };
}
