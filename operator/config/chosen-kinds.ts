import { findKindNamed, namesOfKinds } from "../../crds/kind-names.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { ConfigError, type OperatorConfig } from "../config.ts";

/**
 * The kinds that `--kinds` names, in the order of the program, and with `--releases` those that need Releases. Pure.
 *
 * @throws ConfigError that names a kind that the program does not have.
 */
export function chosenKinds(
  kinds: readonly SynthesizableKind[],
  { kinds: names, releases }: Pick<OperatorConfig, "kinds" | "releases">,
): readonly SynthesizableKind[] {
  const optional = kinds.filter(({ needsReleases }) => !needsReleases);
  const others = releases ? kinds.filter(({ needsReleases }) => needsReleases) : [];
  if (names === undefined) return [...optional, ...others];
  const unknown = names.filter((name) => findKindNamed(optional, name) === undefined);
  if (unknown.length > 0)
    throw new ConfigError(
      `--kinds: expected ${namesOfKinds(optional)}, all or none, got "${unknown.join(", ")}"`,
    );
  const chosen = new Set(names.map((name) => findKindNamed(optional, name)));
  return [...optional.filter((kind) => chosen.has(kind)), ...others];
}
