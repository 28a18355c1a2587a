import type { CommitTrailer } from "../../crds/commit-trailer.ts";
import type { LiveObject } from "../../crds/object.ts";
import type { Observed } from "../../crds/observed.ts";
import { Promotion } from "../../crds/promotion.ts";
import { type StartedPromotion, viewPromotion } from "./promotions.ts";
import { viewRelease } from "./release-view.ts";

/** Maximum number of approvals with a trailer of their own. One more trailer contains the number of the others. */
const NAMED_APPROVALS = 16;

/**
 * Trailers for the commit of a Release that a Promotion deployed: the approvers, the skipped gates, and the reason. None if
 * the pin was not set for a Promotion of the Pipeline. Pure.
 */
export function promotionTrailers(
  release: LiveObject,
  {
    resource: { metadata },
    observed,
  }: { readonly resource: Pick<LiveObject, "metadata">; readonly observed: Observed },
): readonly CommitTrailer[] {
  const { key, pin } = viewRelease(release);
  const explains = ({ spec }: StartedPromotion): boolean =>
    spec.revision === pin?.revision &&
    spec.releases?.some(
      ({ namespace, name, digest }) => `${namespace}/${name}` === key && digest === pin.digest,
    ) === true;
  const promotion = observed
    .list(Promotion)
    .filter((live) => live.metadata.namespace === metadata.namespace)
    .map((live) => viewPromotion(live, metadata))
    .filter((one): one is StartedPromotion => one.isOurs && one.spec.digest !== undefined)
    .filter(explains)
    .toSorted((a, b) => (a.spec.number ?? 0) - (b.spec.number ?? 0))
    .at(-1);
  return promotion === undefined ? [] : describe(promotion, metadata.namespace ?? "");
}

function describe({ name, spec }: StartedPromotion, namespace: string): readonly CommitTrailer[] {
  const { pipeline, stage, digest, by, reason, bypass = [], approvals = [], rollback } = spec;
  const more = approvals.length > NAMED_APPROVALS ? `${approvals.length}` : "";
  return [
    { key: "Fairlead-Promotion", value: `${namespace}/${name}` },
    { key: "Fairlead-Stage", value: `${pipeline}/${stage}` },
    { key: "Fairlead-Digest", value: digest },
    ...approvals
      .slice(0, NAMED_APPROVALS)
      .map(({ by: user, at }) => ({ key: "Fairlead-Approved-By", value: `${user} at ${at}` })),
    { key: "Fairlead-Approvals", value: more },
    { key: "Fairlead-Promoted-By", value: by ?? "" },
    { key: "Fairlead-Bypassed", value: bypass.join(", ") },
    { key: "Fairlead-Reason", value: reason ?? "" },
    { key: "Fairlead-Rollback", value: rollback === true ? "true" : "" },
  ];
}
