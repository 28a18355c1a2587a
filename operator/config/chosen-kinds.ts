import { findKindNamed, namesOfKinds } from "../../crds/kind-names.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { ConfigError, type OperatorConfig } from "../config.ts";

/**
 * The kinds that `--kinds` names, in the order of the program. Pure.
 *
 * @throws ConfigError that names a kind that the program does not have.
 */
export function chosenKinds(
  kinds: readonly SynthesizableKind[],
  { kinds: names }: Pick<OperatorConfig, "kinds">,
): readonly SynthesizableKind[] {
  if (names === undefined) return kinds;
  const unknown = names.filter((name) => findKindNamed(kinds, name) === undefined);
  if (unknown.length > 0)
    throw new ConfigError(
      `--kinds: expected ${namesOfKinds(kinds)}, all or none, got "${unknown.join(", ")}"`,
    );
  const chosen = new Set(names.map((name) => findKindNamed(kinds, name)));
  return kinds.filter((kind) => chosen.has(kind));
}
