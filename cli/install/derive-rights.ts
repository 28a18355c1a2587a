import { commonKinds } from "../../charts/values/release-values.ts";
import { look, own } from "../../constructs/needed-verbs.ts";

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs?: readonly string[];
}

/** The permissions of an operator, and the reason for each. */
export interface LiveRights {
  /** Rules of its ClusterRole, or of its Role in a watched namespace. */
  readonly rules: readonly Rule[];
  /** Rules of the ClusterRole that it has in addition to Roles. */
  readonly clusterRules: readonly Rule[];
  /** Permissions that do not depend on what Releases may deploy. */
  readonly neededRules: readonly Rule[];
}

export interface DerivedRights {
  readonly settings: readonly (readonly [path: string, value: unknown])[];
  /** Permissions that no value grants. */
  readonly lost: readonly string[];
}

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Derives from the permissions of an operator exactly those that it has for the objects of Releases. Pure. */
export function deriveRights(
  live: LiveRights,
  { requireServiceAccount }: { readonly requireServiceAccount: boolean },
): DerivedRights {
  const deploy: readonly string[] = requireServiceAccount ? look : own;
  const rights = [...rightsIn(live.rules, true), ...rightsIn(live.clusterRules, false)];
  const needed = rightsIn(live.neededRules, true);
  const allows = (all: readonly Right[], { group, resource }: Pick<Right, "group" | "resource">) =>
    all.filter((right) => right.group === group && right.resource === resource).flatMap(({ verbs }) => verbs);
  const hasCommon = commonKinds.every((kind) => isWithin(deploy, allows(rights, kind)));
  const common = hasCommon ? commonKinds.map((kind) => ({ ...kind, namespaced: true, verbs: deploy })) : [];
  const beyond = rights.filter((right) => !isWithin(right.verbs, allows([...needed, ...common], right)));
  const isWatchAll = ({ group, resource, namespaced, verbs }: Right) =>
    group === "*" && resource === "*" && namespaced && isSameSet(verbs, look);
  const isReadSecrets = ({ group, resource, namespaced, verbs }: Right) =>
    !requireServiceAccount &&
    group === "" &&
    resource === "secrets" &&
    namespaced &&
    isSameSet(verbs, ["get"]);
  const others = beyond.filter((right) => !isWatchAll(right) && !isReadSecrets(right));
  const isOfValues = (verb: string) => (own as readonly string[]).includes(verb);
  return {
    settings: [
      ["releases.commonKinds", hasCommon],
      ["releases.watchAll", beyond.some(isWatchAll)],
      ["releases.readSecrets", beyond.some(isReadSecrets)],
      [
        "releases.kinds",
        others
          .map((right) => ({ ...right, verbs: right.verbs.filter(isOfValues) }))
          .filter(({ verbs }) => verbs.length > 0)
          .map(({ group, resource, namespaced, verbs }) => ({
            group,
            resource,
            ...(!namespaced && { namespaced }),
            ...(!isSameSet(verbs, deploy) && { verbs }),
          })),
      ],
    ],
    lost: others.flatMap((right) =>
      right.verbs
        .filter((verb) => !isOfValues(verb) && !allows(needed, right).includes(verb))
        .map((verb) => `${verb} ${right.group === "" ? right.resource : `${right.resource}.${right.group}`}`),
    ),
  };
}

/**
 * Permissions for whole kinds: for objects of Releases no value grants permissions for single objects, for subresources
 * or for impersonation.
 */
function rightsIn(rules: readonly Rule[], namespaced: boolean): readonly Right[] {
  return rules
    .filter(({ resourceNames = [] }) => resourceNames.length === 0)
    .flatMap(({ apiGroups = [], resources = [], verbs = [] }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => ({
          group,
          resource,
          namespaced,
          verbs: verbs.filter((verb) => verb !== "impersonate"),
        })),
      ),
    )
    .filter(({ resource, verbs }) => !resource.includes("/") && verbs.length > 0);
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.every((verb) => all.includes(verb));
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return isWithin(a, b) && isWithin(b, a);
}
