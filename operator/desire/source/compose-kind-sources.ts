import type { BoundKind } from "../../../crds/binding.ts";
import { groupKindOf, keyOf, type ObjectKind } from "../../../crds/object.ts";
import { ReleasePolicy } from "../../../crds/release-policy.ts";
import { createSecretReader, type SecretReaderInput } from "../../cluster/found-kinds/secret-reader.ts";
import { keyIn } from "../../git/source/tenant.ts";
import type { ZoneSources } from "../../git/source/zone-sources.ts";
import type { KindStores } from "../../runtime/kind-stores.ts";
import type { KindSources } from "../chart/follow-source.ts";
import type { PolicyLimits } from "../release/policy-limits.ts";
import { createKindSources } from "./kind-sources.ts";

export interface ComposeKindSourcesInput extends Pick<SecretReaderInput, "cluster" | "clock"> {
  readonly sources: ZoneSources;
  readonly platform: PolicyLimits;
  readonly stores: KindStores;
}

export interface FollowedSources extends KindSources {
  /** Sources are used only after all objects of this kind are listed. */
  readonly decidedBy: ObjectKind;
}

/** Follows the sources of the resources of one kind, and calls `wake` when the state of a source changes. */
export type FollowKind = (wake: (keys: Iterable<string>) => void) => FollowedSources;

/** Connects the sources of kinds to the zone and the schedule of Releases. Nothing starts before a source is needed. */
export function composeKindSources(input: ComposeKindSourcesInput): (kind: BoundKind) => FollowKind {
  const { sources, platform, stores, clock } = input;
  const secrets = createSecretReader({
    ...input,
    remedy: ", or the kind must act as a ServiceAccount that may",
  });
  return (kind) => (wake) => {
    const { definition } = kind;
    sources.subscribe((keys) => wake(keys.map(keyIn)), groupKindOf(definition));
    platform.onNamespaces((changed) => {
      const resources = [...stores.resources(definition).list()];
      wake(resources.filter(({ metadata }) => changed.has(metadata.namespace ?? "")).map(keyOf));
    });
    const onAuthors = (key: string): void => wake([key]);
    const followed = createKindSources({ kind, sources, secrets, platform, clock, onAuthors });
    return { ...followed, decidedBy: ReleasePolicy };
  };
}
