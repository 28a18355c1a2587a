import type { TestCluster } from "./global-setup.ts";
import { install } from "./install.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** Names of the roles of the tests' users: {@link anOperatorUser}. */
export const STAMP_RIGHTS = "stamps";
export const RELEASE_RIGHTS = "releases";

/** Unusual kinds that Releases of tests deploy. */
const more = [
  { group: "apiextensions.k8s.io", resource: "customresourcedefinitions", namespaced: false },
  { group: "tests.fairlead.dev", resource: "*" },
  { resource: "namespaces", namespaced: false },
  { resource: "configmaps" },
  { resource: "services" },
  { resource: "serviceaccounts" },
  { group: "apps", resource: "deployments" },
  { group: "networking.k8s.io", resource: "ingresses" },
];

/** Installs the common kinds once for all tests: the shipped kinds, Stamps, and Releases. */
export async function installSharedKinds(cluster: TestCluster): Promise<void> {
  await install(cluster);
  await install(cluster, { kinds: [stampIn(sharedGroup)], name: STAMP_RIGHTS });
  const releases = {
    enabled: true,
    requireServiceAccount: false,
    watchAll: true,
    readSecrets: true,
    kinds: more,
  };
  await install(cluster, { name: RELEASE_RIGHTS, values: { releases } });
}
