import type { DeclaredKind } from "../../../crds/binding.ts";
import { Release } from "../../../crds/release.ts";
import { ReleasePolicy } from "../../../crds/release-policy.ts";

/** The kind Release. Like resources of other kinds, Releases are watched and have folders in the repository. */
export const releaseKind: DeclaredKind = { definition: Release, children: [], related: [] };

/** The kind ReleasePolicy. The operator only watches it. */
export const releasePolicyKind: DeclaredKind = { definition: ReleasePolicy, children: [], related: [] };
