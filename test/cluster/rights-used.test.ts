import { expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import {
  clusterIdRules,
  leaseRules,
  operatorRulesOf,
  type PolicyRule,
} from "../../constructs/operator-role.ts";
import { type AuditEvent, operatorRequests } from "./audit-log.ts";
import { testCluster } from "./fixture.ts";

// Runs after all other tests, and checks the requests of their operators.

/** Permissions that no test uses, and why they are granted nevertheless. `*` matches anything. */
const unseen: Readonly<Record<string, string>> = {
  "update */finalizers": "the API server looks for it where blockOwnerDeletion is set; no request needs it",
  "create *": "the API server looks for it where an apply makes the object; the request is a patch",
  "list *": "where an API server cannot begin a watch with what is there",
  "delete batch/cronjobs":
    "an upgrade whose chart makes none any more; none of the charts that ship does that",
};

/** The user without permissions in `kube-adapter.test.ts`. */
const withoutRights = ":nobody";

/** With fewer tests than this, permissions are unused because too few operators ran. */
const enoughNamespaces = 60;

test("no operator of any test requested something that it may not do", async () => {
  const requests = await requestsOfTests();
  const lastAllowed = new Map<string, string>();
  for (const { user, right, decision, at } of requests) {
    const key = `${user} ${right}`;
    if (decision === "allow" && at > (lastAllowed.get(key) ?? "")) lastAllowed.set(key, at);
  }
  const refused = requests.filter(
    ({ user, right, decision, at, isImpersonated }) =>
      !user.endsWith(withoutRights) &&
      // A missing permission of a Release's account is not a permission of the operator.
      !isImpersonated &&
      // A request that is allowed a moment later: the authorizer sees a new binding by a watch.
      decision !== "allow" &&
      at > (lastAllowed.get(`${user} ${right}`) ?? ""),
  );
  expect(refused.map(({ line }) => line)).toEqual([]);
});

test("every shipped permission is used by some test, or is in a short list with the reason", async ({
  skip,
}) => {
  const requests = await requestsOfTests();
  const namespaces = new Set(requests.map(({ namespace }) => namespace)).size;
  skip(namespaces < enoughNamespaces, `only ${namespaces} namespaces were used before it`);
  const used = new Set(requests.map(({ right }) => right));
  const { namespaced, cluster } = operatorRulesOf(kinds);
  const rules = [...namespaced, ...cluster, ...clusterIdRules, ...leaseRules("fairlead")];
  const given = rules.flatMap(rightsOf);
  const unused = given.filter((right) => !used.has(right));
  const reasons = Object.keys(unseen);
  expect(unused.filter((right) => !reasons.some((reason) => covers(reason, right)))).toEqual([]);
  // An outdated reason. Releases prune objects of any kind, and those of some tests do.
  const isStale = (reason: string) => !unused.some((right) => covers(reason, right));
  expect(reasons.filter((reason) => !reason.startsWith("delete ") && isStale(reason))).toEqual([]);
});

function covers(reason: string, right: string): boolean {
  const [before = "", after] = reason.split("*");
  return after === undefined ? right === reason : right.startsWith(before) && right.endsWith(after);
}

interface OperatorRequest {
  /** `list apps/deployments`, `patch mmontes.io/echos/status`, `create /configmaps`. */
  readonly right: string;
  readonly user: string;
  /** Time of arrival, in the format of the audit log. */
  readonly at: string;
  readonly namespace: string | undefined;
  readonly decision: string | undefined;
  readonly isImpersonated: boolean;
  readonly line: string;
}

async function requestsOfTests(): Promise<OperatorRequest[]> {
  const events = await operatorRequests(testCluster());
  return events.map((event) => ({
    right: rightOf(event),
    user: event.user.username,
    at: event.requestReceivedTimestamp,
    namespace: event.objectRef?.namespace,
    decision: event.annotations?.["authorization.k8s.io/decision"],
    isImpersonated: event.impersonatedUser !== undefined,
    line: `${event.user.username}: ${event.verb} ${event.requestURI}: ${event.annotations?.["authorization.k8s.io/reason"]}`,
  }));
}

function rightOf({ verb, requestURI, objectRef }: AuditEvent): string {
  if (objectRef?.resource === undefined) return `${verb} ${requestURI}`;
  const { apiGroup = "", resource, subresource } = objectRef;
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? "" : `/${subresource}`}`;
}

function rightsOf({ apiGroups: [group], resources: [resource], verbs }: PolicyRule): string[] {
  return verbs.map((verb) => `${verb} ${group}/${resource}`);
}
