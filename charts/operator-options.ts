import { CREDENTIALS_FOLDER } from "../constructs/operator-pod.ts";
import { fenceNamesOf } from "../constructs/write-fences.ts";
import type { ChosenValues } from "./values/operator-values.ts";

/** The options of `fairlead run` that say the same as the values. */
export function operatorOptionsOf(values: ChosenValues): readonly string[] {
  const { watchedNamespaces, workers, logLevel, monitoring } = values;
  return [
    ...(values.ha ? electionOptionsOf(values) : []),
    ...repositoryOptionsOf(values.repository),
    ...watchedNamespaces.map((watched) => `--namespace=${watched}`),
    ...fenceNamesOf(values).map((fence) => `--fence=${fence}`),
    `--workers=${workers}`,
    `--log-level=${logLevel}`,
    ...(monitoring.enabled ? [] : ["--metrics-bind-address=0"]),
  ];
}

function electionOptionsOf({ name, namespace, leaderElection }: ChosenValues): readonly string[] {
  return [
    "--leader-elect=true",
    `--leader-elect-namespace=${namespace}`,
    `--leader-elect-id=${name}`,
    `--lease-duration=${leaderElection.leaseDuration}`,
    `--renew-deadline=${leaderElection.renewDeadline}`,
    `--retry-period=${leaderElection.retryPeriod}`,
  ];
}

function repositoryOptionsOf(repository: ChosenValues["repository"]): readonly string[] {
  if (repository === undefined) return [];
  const { url, branch, path, credentialsSecret } = repository;
  return [
    `--repository=${url}`,
    `--repository-branch=${branch}`,
    ...(path === "" ? [] : [`--repository-path=${path}`]),
    ...(credentialsSecret === undefined ? [] : [`--repository-credentials=${CREDENTIALS_FOLDER}`]),
  ];
}
