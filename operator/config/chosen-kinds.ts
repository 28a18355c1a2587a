import { findKindNamed, namesOfKinds } from "../../crds/kind-names.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { ConfigError, type OperatorConfig } from "../config.ts";

/**
 * The kinds in `--kinds`, in the order of the program, and the kinds that need Releases if `--releases` and
 * `--release-pipelines` are true. Pure.
 *
 * @throws ConfigError that names the unknown kinds.
 */
export function chosenKinds(
  kinds: readonly SynthesizableKind[],
  {
    kinds: names,
    releases,
    releasePipelines,
  }: Pick<OperatorConfig, "kinds" | "releases" | "releasePipelines">,
): readonly SynthesizableKind[] {
  const optional = kinds.filter(({ needsReleases }) => !needsReleases);
  const others = releases && releasePipelines ? kinds.filter(({ needsReleases }) => needsReleases) : [];
  if (names === undefined) return [...optional, ...others];
  const unknown = names.filter((name) => findKindNamed(optional, name) === undefined);
  if (unknown.length > 0)
    throw new ConfigError(
      `--kinds: expected ${namesOfKinds(optional)}, all or none, got "${unknown.join(", ")}"`,
    );
  const chosen = new Set(names.map((name) => findKindNamed(optional, name)));
  return [...optional.filter((kind) => chosen.has(kind)), ...others];
}
