import { shapeOfJson } from "../engine/json-shape.ts";
import { type RenderDetails, renderDetails } from "./messages.ts";
import { renderLimits } from "./render-limits.ts";

/**
 * Parses the part of the last message of a render. Its values are counted first, because a schema takes 0.3 s for a list
 * of a million invalid ones.
 *
 * @throws RangeError, SyntaxError or an error of the schema.
 */
export function readDetails(bytes: Buffer): RenderDetails {
  const { detailBytes, detailValues } = renderLimits;
  if (bytes.length > detailBytes) throw new RangeError("too many details");
  const { depth, values, keys } = shapeOfJson(bytes, { mostDepth: 2 });
  if (depth > 2 || values + keys > detailValues) throw new RangeError("details with too many values");
  return renderDetails.parse(JSON.parse(bytes.toString("utf8")));
}
