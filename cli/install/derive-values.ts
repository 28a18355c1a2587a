import { operatorValues } from "../../charts/values/operator-values.ts";
import { toMilliseconds } from "../../crds/duration.ts";
import { deriveRights, type LiveRights } from "./derive-rights.ts";
import type { Values } from "./merge-values.ts";
import { setAt } from "./set-values.ts";

/** The operator has permissions that no value grants, and would lose them. */
export class UnknownRightsError extends Error {
  override readonly name = "UnknownRightsError";
}

/** Values of an installation, derived from its objects. */
export interface LiveInstallation extends LiveRights {
  /** Options of the operator's container. */
  readonly args: readonly string[];
  readonly imagePullPolicy: string | undefined;
  /** Fields of its Deployment. */
  readonly replicas: number | undefined;
  readonly imagePullSecrets: readonly string[];
  /** Secret with the credentials of the repository. */
  readonly credentialsSecret: string | undefined;
  /** Built-in kinds, and those among them whose CustomResourceDefinition exists. */
  readonly shipped: readonly string[];
  readonly defined: readonly string[];
}

/** Conversion of an option of the program to a value. */
const optionValues: Readonly<Record<string, readonly [path: string, read?: (text: string) => unknown]>> = {
  workers: ["workers", Number],
  "log-level": ["logLevel"],
  repository: ["repository.url"],
  "repository-branch": ["repository.branch"],
  "repository-path": ["repository.path"],
  "lease-duration": ["leaderElection.leaseDuration"],
  "renew-deadline": ["leaderElection.renewDeadline"],
  "retry-period": ["leaderElection.retryPeriod"],
  "release-pipelines": ["releases.pipelines", (text) => text === "true"],
  "release-program-timeout": ["releases.programTimeout"],
  "release-require-sandbox": ["releases.requireSandbox", (text) => text === "true"],
  "release-policy": ["releases.policy", (text) => JSON.parse(text)],
  "metrics-bind-address": ["monitoring.enabled", (text) => text !== "0"],
};

/**
 * Derives the values of an installation that has stored none from its objects, as far as these show them, and omits
 * those that are the default. So an upgrade from a release with other defaults changes nothing in the running operator.
 * Pure.
 *
 * @throws UnknownRightsError that names the permissions that would be lost, unless that is allowed.
 */
export function deriveValues(
  live: LiveInstallation,
  { mayLoseRights = false }: { readonly mayLoseRights?: boolean } = {},
): Values {
  const options = Map.groupBy(live.args.map(splitOption), ([name]) => name);
  const textsOf = (name: string): readonly string[] => (options.get(name) ?? []).map(([, text]) => text);
  const ha = textsOf("leader-elect")[0] === "true";
  const found: (readonly [path: string, value: unknown])[] = [
    ...kindsOf(textsOf("kinds")[0], live),
    ["ha", ha],
    // The default follows from `ha`.
    ...(live.replicas === undefined || live.replicas === (ha ? 2 : 1)
      ? []
      : [["replicas", live.replicas] as const]),
    ["imagePullSecrets", live.imagePullSecrets],
    ...(live.imagePullPolicy === undefined ? [] : [["imagePullPolicy", live.imagePullPolicy] as const]),
    ["watchedNamespaces", textsOf("namespace")],
    ...Object.entries(optionValues).flatMap(([name, [path, read = String]]) =>
      textsOf(name)
        .slice(0, 1)
        .map((text) => [path, read(text)] as const),
    ),
    ...(live.credentialsSecret === undefined
      ? []
      : [["repository.credentialsSecret", live.credentialsSecret] as const]),
    ...releaseValuesOf(textsOf("releases")[0] === "true", textsOf, live, mayLoseRights),
  ];
  // The URL of a repository has no default; `/any` is a placeholder.
  const defaults: unknown = operatorValues.parse({ image: "any", repository: { url: "/any" } });
  const defaultOf = (path: string): unknown =>
    path.split(".").reduce<unknown>((value, name) => (value as Values | undefined)?.[name], defaults);
  return found
    .filter(([path, value]) => !isSame(value, defaultOf(path)))
    .reduce<Values>((values, [path, value]) => setAt(values, path.split("."), value), {});
}

function kindsOf(
  option: string | undefined,
  { shipped, defined }: LiveInstallation,
): readonly (readonly [string, unknown])[] {
  // A program without the option reconciles all of its kinds whose CustomResourceDefinitions exist.
  if (option !== undefined) return [["kinds", option === "none" ? [] : option.split(",")]];
  return defined.length === shipped.length ? [["samples.enabled", true]] : [["kinds", defined]];
}

/** Defaults do not add rights that the installation did not have. */
function releaseValuesOf(
  enabled: boolean,
  textsOf: (name: string) => readonly string[],
  live: LiveInstallation,
  mayLoseRights: boolean,
): readonly (readonly [string, unknown])[] {
  if (!enabled) return [["releases.enabled", false]];
  const impersonation = live.rules.find(
    ({ apiGroups = [], resources = [], verbs = [] }) =>
      apiGroups.includes("") && resources.includes("serviceaccounts") && verbs.includes("impersonate"),
  );
  const requireServiceAccount = textsOf("release-require-service-account")[0] === "true";
  const { settings, lost } = deriveRights(live, { requireServiceAccount });
  if (lost.length > 0 && !mayLoseRights)
    throw new UnknownRightsError(
      `The operator would lose rights that no value grants: ${lost.join(", ")}. ` +
        "Set the kinds that Releases may deploy: --set releases.kinds=… (docs/values.md)",
    );
  return [
    ["releases.requireServiceAccount", requireServiceAccount],
    ["releases.impersonate", impersonation !== undefined],
    ["releases.serviceAccounts", impersonation?.resourceNames ?? []],
    ...settings,
  ];
}

function splitOption(arg: string): readonly [name: string, text: string] {
  const [, name = "", text = "true"] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
  return [name, text];
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b || isSameTime(a, b);
  return JSON.stringify(a) === JSON.stringify(b);
}

function isSameTime(a: string, b: string): boolean {
  const [left, right] = [toMilliseconds(a), toMilliseconds(b)];
  return left > 0 && left === right;
}
