import type { BoundKind } from "../crds/binding.ts";
import { Secret } from "../crds/core-kinds.ts";
import { HOLDER_EXTRA } from "../crds/names.ts";
import { Release } from "../crds/release.ts";
import { ReleasePolicy } from "../crds/release-policy.ts";
import { look, type Need, own } from "./needed-verbs.ts";
import type { OperatorRules } from "./operator-role.ts";

/**
 * Permissions of an installation for Releases, in addition to those for the kinds that it reconciles. If each Release
 * must have a ServiceAccount, the operator itself gets no permission to read or write single objects for them, only to
 * watch.
 */
export interface ReleaseRights {
  /** Kinds that a Release without a ServiceAccount may deploy. If each must have one, these are only watched. */
  readonly kinds: readonly {
    readonly group: string;
    readonly resource: string;
    /**
     * Default: true. Decides whether the permission is in a Role or a ClusterRole if only some namespaces are watched.
     */
    readonly namespaced?: boolean | undefined;
    /** Default: all that deploying needs. */
    readonly verbs?: readonly string[] | undefined;
  }[];
  /**
   * Whether objects of every kind may be watched: a Release with the permissions of a ServiceAccount may contain any
   * kind.
   */
  readonly watchAll: boolean;
  /** Whether Secrets that Releases, and sources of kinds, reference may be read. */
  readonly readSecrets: boolean;
  /** Whether ServiceAccounts of Releases may be impersonated. */
  readonly impersonate: boolean;
  /** Whether Releases without a ServiceAccount are rejected. Default: false. */
  readonly requireServiceAccount?: boolean;
  /** Names of these ServiceAccounts; empty: any. */
  readonly serviceAccounts: readonly string[];
}

/** Rules for Releases: the Releases themselves, the kinds that they may deploy, and the objects that they reference. */
export function releaseNeedsOf(
  kinds: readonly BoundKind[],
  rights: ReleaseRights | undefined,
): readonly { readonly need: Need; readonly verbs: readonly string[]; readonly subresource?: string }[] {
  if (rights === undefined) return [];
  const deploy = rights.requireServiceAccount === true ? look : own;
  const every: Need = { group: "*", plural: "*", namespaced: true };
  return [
    // Read before a deleted object is recreated, because the Release may be deleted, too. Patched for its finalizer, and
    // for the labels and annotations that make it an ApplySet.
    { need: Release, verbs: ["get", ...look, "patch"] },
    { need: Release, verbs: ["patch"], subresource: "status" },
    // Only the platform writes policies.
    { need: ReleasePolicy, verbs: look },
    // Resources of the operator's kinds may also come from git.
    ...kinds.map(({ definition }) => ({ need: definition, verbs: deploy })),
    ...rights.kinds.map(({ group, resource, namespaced = true, verbs = deploy }) => ({
      need: { group, plural: resource, namespaced },
      verbs,
    })),
    ...(rights.watchAll ? [{ need: every, verbs: look }] : []),
    ...(rights.readSecrets && (deploy === own || kinds.some(({ source }) => source !== undefined))
      ? [{ need: Secret, verbs: ["get"] }]
      : []),
  ];
}

/**
 * The rules for impersonating a ServiceAccount, and for sending the name of the instance. The operator does not send its
 * groups: the API server knows those of a ServiceAccount.
 *
 * @param serviceAccounts Their names; empty: any.
 */
export function impersonationRules(serviceAccounts: readonly string[]): OperatorRules {
  return {
    namespaced: [
      {
        apiGroups: [""],
        resources: ["serviceaccounts"],
        ...(serviceAccounts.length > 0 && { resourceNames: serviceAccounts }),
        verbs: ["impersonate"],
      },
    ],
    cluster: [
      {
        apiGroups: ["authentication.k8s.io"],
        resources: [`userextras/${HOLDER_EXTRA}`],
        verbs: ["impersonate"],
      },
    ],
  };
}
