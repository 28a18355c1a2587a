import type { BoundKind } from "../crds/binding.ts";
import { Secret } from "../crds/core-kinds.ts";
import { HOLDER_EXTRA } from "../crds/names.ts";
import { Release } from "../crds/release.ts";
import { ReleasePolicy } from "../crds/release-policy.ts";
import { look, type Need, own } from "./needed-verbs.ts";
import type { OperatorRules } from "./operator-role.ts";

/**
 * Rights that an installation gives to Releases, besides those on the kinds that it reconciles. Where each Release must
 * name a ServiceAccount, the operator itself gets no right to read or write one object for them, only to watch.
 */
export interface ReleaseRights {
  /** Kinds that a Release without a ServiceAccount may deploy. Where each must name one, these are only watched. */
  readonly kinds: readonly {
    readonly group: string;
    readonly resource: string;
    /** Default: true. Says where the right is given if only some namespaces are watched. */
    readonly namespaced?: boolean | undefined;
    /** Default: all that deploying needs. */
    readonly verbs?: readonly string[] | undefined;
  }[];
  /** Objects of every kind may be watched: what is in a Release of the rights of a ServiceAccount can be any. */
  readonly watchAll: boolean;
  /** Secrets that Releases, and sources of kinds, name may be read. */
  readonly readSecrets: boolean;
  /** ServiceAccounts that Releases name may be impersonated. */
  readonly impersonate: boolean;
  /** Releases that name no ServiceAccount are refused. Default: false. */
  readonly requireServiceAccount?: boolean;
  /** Names of these; none: any. */
  readonly serviceAccounts: readonly string[];
}

/** Rules for Releases: the Releases themselves, the kinds that they may deploy, and the objects that they name. */
export function releaseNeedsOf(
  kinds: readonly BoundKind[],
  rights: ReleaseRights | undefined,
): readonly { readonly need: Need; readonly verbs: readonly string[]; readonly subresource?: string }[] {
  if (rights === undefined) return [];
  const deploy = rights.requireServiceAccount === true ? look : own;
  const every: Need = { group: "*", plural: "*", namespaced: true };
  return [
    // Read before a deleted object is recreated: the Release may be deleted, too. Patched for its finalizer, and for the labels
    // and annotations that make it an ApplySet.
    { need: Release, verbs: ["get", ...look, "patch"] },
    { need: Release, verbs: ["patch"], subresource: "status" },
    // Only the platform writes policies.
    { need: ReleasePolicy, verbs: look },
    // What the operator reconciles comes from git as well.
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
 * The rules for impersonating a ServiceAccount, and for naming the instance that does. The operator does not send its groups: the API server
 * knows those of a ServiceAccount.
 *
 * @param serviceAccounts Their names; none: any.
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
