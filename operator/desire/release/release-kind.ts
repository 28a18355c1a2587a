import type { BoundKind } from "../../../crds/binding.ts";
import { Release } from "../../../crds/release.ts";
import { ReleasePolicy } from "../../../crds/release-policy.ts";

/** A Release has no objects of its own making: what it deploys comes from git. */
class NoChart {}

/** Release as a kind that is watched and has folders in the repository like the others; its reconcile is another one. */
export const releaseKind: BoundKind = {
  definition: Release,
  chart: NoChart,
  children: [],
  related: [],
  status: () => ({}),
  warnings: () => [],
};

/** ReleasePolicy as a kind that is watched: nothing is made for it, and nothing is reported on it. */
export const releasePolicyKind: BoundKind = { ...releaseKind, definition: ReleasePolicy };
