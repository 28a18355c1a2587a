import type { DeclaredKind } from "../../../crds/binding.ts";
import { Release } from "../../../crds/release.ts";
import { ReleasePolicy } from "../../../crds/release-policy.ts";

/** Releases are watched and have folders in the repository like the resources of other kinds. */
export const releaseKind: DeclaredKind = { definition: Release, children: [], related: [] };

/** Release policies are watched; nothing is created or reported for them. */
export const releasePolicyKind: DeclaredKind = { definition: ReleasePolicy, children: [], related: [] };
