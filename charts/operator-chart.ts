import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { HookService } from "../constructs/hook-service.ts";
import { Monitoring } from "../constructs/monitoring.ts";
import { OperatorNetworkPolicy } from "../constructs/network-policy.ts";
import { OperatorAccess } from "../constructs/operator-access.ts";
import { OperatorDeployment } from "../constructs/operator-deployment.ts";
import { actsAsOthers, operatorRulesOf } from "../constructs/operator-role.ts";
import { PodDisruptionBudget } from "../constructs/pod-disruption-budget.ts";
import { fenceRulesOf, WriteFences } from "../constructs/write-fences.ts";
import type { BoundKind } from "../crds/binding.ts";
import { INSTALLATION_LABEL, installationIdOf, podSelectorOf } from "./installation.ts";
import { operatorOptionsOf } from "./operator-options.ts";
import { placementOf } from "./placement.ts";
import { type ChosenValues, type OperatorValues, readOperatorValues } from "./values/operator-values.ts";
import { releaseRightsOf } from "./values/release-values.ts";
import { repositoryPortOf } from "./values/repository-url.ts";

export interface OperatorChartProps {
  /** The kinds that the operator is to reconcile: its permissions follow from them. */
  readonly kinds: readonly BoundKind[];
  /** Value of the program's `--kinds`, if it has more kinds than these. */
  readonly kindsOption?: string | undefined;
  readonly values: OperatorValues;
}

/** Values that the parts of the chart share. */
interface Parts {
  readonly kinds: readonly BoundKind[];
  readonly kindsOption: string | undefined;
  readonly values: ChosenValues;
  /** Labels that select the operator's pods. */
  readonly selector: Readonly<Record<string, string>>;
}

/**
 * Everything that installs the operator, except the CRDs.
 *
 * @throws {OperatorValuesError} that names every invalid value.
 */
export class OperatorChart extends Chart {
  constructor(scope: Construct, id: string, { kinds, kindsOption, values: given }: OperatorChartProps) {
    const values = readOperatorValues(given);
    const { name, namespace } = values;
    const selector = podSelectorOf(values);
    super(scope, id, {
      labels: { ...values.labels, ...selector, [INSTALLATION_LABEL]: installationIdOf(values) },
    });
    const parts: Parts = { kinds, kindsOption, values, selector };
    if (values.createNamespace) this.#addNamespace(namespace);
    this.#addAccess(parts);
    this.#addFences(parts);
    if (values.monitoring.enabled) this.#addMonitoring(parts);
    if (hooksOf(values) !== undefined) new HookService(this, "hooks", { name, namespace, selector });
    if (values.replicas > 1)
      new PodDisruptionBudget(this, "disruption-budget", { name, namespace, selector });
    this.#addDeployment(parts);
    this.#annotate(values.annotations);
  }

  #addNamespace(name: string): void {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    new ApiObject(this, "namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  }

  #addAccess({ kinds, values }: Parts): void {
    const { name, namespace, watchedNamespaces, ha, repository } = values;
    const rules = operatorRulesOf(kinds, {
      watchesNamespaces: watchedNamespaces.length === 0,
      releases: releasesOf(values),
    });
    new OperatorAccess(this, "access", {
      name,
      namespace,
      rules: { ...rules, cluster: [...rules.cluster, ...fenceRulesOf(values)] },
      watchedNamespaces: [...new Set(watchedNamespaces)],
      electsLeader: ha,
      namesCluster: repository !== undefined,
      sealsRecords: releasesOf(values) !== undefined,
    });
  }

  /** Restrictions of the operator: `values.policies` in the API server, and the network policy. */
  #addFences({ kinds, values, selector }: Parts): void {
    new WriteFences(this, "fences", { ...values, kinds });
    const { name, namespace, networkPolicy, monitoring, repository } = values;
    if (networkPolicy.enabled) {
      new OperatorNetworkPolicy(this, "network-policy", {
        name,
        namespace,
        selector,
        apiServerPorts: networkPolicy.apiServerPorts,
        repositoryPort: repository === undefined ? undefined : repositoryPortOf(repository.url),
        metrics: monitoring.enabled ? monitoring : undefined,
        gitPorts: releasesOf(values)?.gitPorts ?? [],
        hooks: hooksOf(values),
      });
    }
  }

  #addMonitoring({ values, selector }: Parts): void {
    const { name, namespace, monitoring, ha, repository } = values;
    const publishes = repository !== undefined;
    new Monitoring(this, "monitoring", {
      ...monitoring,
      name,
      namespace,
      selector,
      publishes,
      electsLeader: ha,
    });
  }

  #addDeployment({ kinds, kindsOption, values, selector }: Parts): void {
    const { name, namespace, image, imagePullPolicy, replicas, ha, repository } = values;
    const releases = releasesOf(values);
    new OperatorDeployment(this, "deployment", {
      name,
      namespace,
      image,
      imagePullPolicy,
      replicas,
      mayOverlap: ha,
      serviceAccount: name,
      selector,
      options: operatorOptionsOf(values, kindsOption, actsAsOthers(kinds)),
      metrics: values.monitoring.enabled,
      resources: values.resources,
      publish: repository && {
        repository: repository.url,
        credentialsSecret: repository.credentialsSecret,
        resources: repository.resources,
        logLevel: values.logLevel,
        requireSandbox: releases?.requireSandbox ?? false,
      },
      releases: releases && {
        sandbox: { resources: releases.sandboxResources, logLevel: values.logLevel },
        source: {
          resources: releases.sourceResources,
          logLevel: values.logLevel,
          cacheSize: releases.cacheSize,
          requireSandbox: releases.requireSandbox,
          hookSecret: hooksOf(values)?.secret,
        },
      },
      placement: placementOf(values),
      podLabels: values.podLabels,
      podAnnotations: values.podAnnotations,
    });
  }

  #annotate(annotations: Readonly<Record<string, string>>): void {
    for (const node of this.node.findAll().filter((construct) => ApiObject.isApiObject(construct))) {
      for (const [key, value] of Object.entries(annotations)) node.metadata.addAnnotation(key, value);
    }
  }
}

function releasesOf({ releases }: ChosenValues): ReturnType<typeof releaseRightsOf> {
  return releaseRightsOf(releases);
}

function hooksOf(values: ChosenValues): ChosenValues["releases"]["hooks"] | undefined {
  const hooks = releasesOf(values)?.hooks;
  return hooks?.enabled === true ? hooks : undefined;
}
