import { operatorPorts } from "../constructs/operator-pod.ts";
import { ZONE_SOCKETS_FOLDER } from "../constructs/sandbox-zone.ts";
import { fenceNamesOf } from "../constructs/write-fences.ts";
import type { ChosenValues } from "./values/operator-values.ts";

/**
 * The options of `fairlead run` for some values.
 *
 * @param kinds Value of `--kinds`. Undefined: all kinds of the program.
 */
export function operatorOptionsOf(
  values: ChosenValues,
  kinds: string | undefined,
  actsAsOthers: boolean,
): readonly string[] {
  const { watchedNamespaces, workers, logLevel, monitoring } = values;
  return [
    ...electionOptionsOf(values, actsAsOthers),
    ...(kinds === undefined ? [] : [`--kinds=${kinds}`]),
    ...repositoryOptionsOf(values.repository),
    ...(values.repository === undefined && !values.releases.enabled
      ? []
      : [`--zone-sockets=${ZONE_SOCKETS_FOLDER}`]),
    ...releaseOptionsOf(values),
    ...watchedNamespaces.map((watched) => `--namespace=${watched}`),
    ...fenceNamesOf(values).map((fence) => `--fence=${fence}`),
    `--workers=${workers}`,
    `--log-level=${logLevel}`,
    ...(monitoring.enabled ? [] : ["--metrics-bind-address=0"]),
  ];
}

function electionOptionsOf(
  { name, namespace, ha, leaderElection, releases }: ChosenValues,
  actsAsOthers: boolean,
): readonly string[] {
  const lease = [`--leader-elect-namespace=${namespace}`, `--leader-elect-id=${name}`];
  // With this name the fences identify the operator's impersonated requests.
  if (!ha) return releases.enabled || actsAsOthers ? lease : [];
  return [
    "--leader-elect=true",
    ...lease,
    `--lease-duration=${leaderElection.leaseDuration}`,
    `--renew-deadline=${leaderElection.renewDeadline}`,
    `--retry-period=${leaderElection.retryPeriod}`,
  ];
}

/** Only the publish zone has the credentials. */
function repositoryOptionsOf(repository: ChosenValues["repository"]): readonly string[] {
  if (repository === undefined) return [];
  const { url, branch, path } = repository;
  return [
    `--repository=${url}`,
    `--repository-branch=${branch}`,
    ...(path === "" ? [] : [`--repository-path=${path}`]),
  ];
}

function releaseOptionsOf({ releases }: ChosenValues): readonly string[] {
  if (!releases.enabled) return [];
  const { pipelines, requireServiceAccount, requireSandbox, programTimeout, policy, hooks } = releases;
  return [
    "--releases=true",
    ...(pipelines ? [] : ["--release-pipelines=false"]),
    `--release-program-timeout=${programTimeout}`,
    ...(requireSandbox ? ["--release-require-sandbox=true"] : []),
    ...(requireServiceAccount ? ["--release-require-service-account=true"] : []),
    ...(Object.keys(policy).length > 0 ? [`--release-policy=${JSON.stringify(policy)}`] : []),
    // The source zone listens at this address; the operator announces it to other instances.
    ...(hooks.enabled ? [`--hook-bind-address=:${operatorPorts.hooks}`] : []),
  ];
}
