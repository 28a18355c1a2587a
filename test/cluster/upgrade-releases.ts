import type { KubernetesObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import type { FakeGitRemote } from "../fakes/git-remote.ts";
import { aConfigMapFile, aDeploymentFile } from "./release-harness.ts";

const program = `
import { ApiObject, type App, Chart } from "cdk8s";

export default function main(app: App, data: Readonly<Record<string, string>>): void {
  new ApiObject(new Chart(app, "shop"), "map", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop" }, data });
}
`;

const aServiceFile = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
};

const aJobFile = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "migrate" },
  spec: {
    template: {
      spec: { restartPolicy: "Never", containers: [{ name: "migrate", image: "example.dev/migrate:1" }] },
    },
  },
};

/** Commits the sources of {@link releasesOf}. */
export function fillSource(source: FakeGitRemote): void {
  const { spec, ...deployment } = aDeploymentFile("web") as { readonly spec: object };
  const files = {
    "web/deployment.json": { ...deployment, spec: { ...spec, replicas: 2 } },
    "web/service.json": aServiceFile,
    "web/job.json": aJobFile,
    "away/map.json": aConfigMapFile("away", { a: "1" }),
  };
  const texts = Object.entries(files).map(([path, file]) => [path, JSON.stringify(file)]);
  source.commitByOthers({ ...Object.fromEntries(texts), "shop/main.ts": program });
}

/** Releases of manifests with pods, of a program that uses an account, and of a folder with `createNamespace`. */
export function releasesOf(source: FakeGitRemote, namespace: string): readonly KubernetesObject[] {
  const specs = {
    web: { render: { manifests: {} } },
    shop: {
      render: { program: { inputs: { colour: "blue" } } },
      dependsOn: [{ name: "web" }],
      target: { serviceAccountName: "deployer" },
    },
    away: {
      render: { manifests: {} },
      target: { namespace: "away", createNamespace: true, labels: { team: "shop" } },
    },
  };
  return Object.entries(specs).map(([name, spec]) => ({
    apiVersion: `${Release.group}/${Release.version}`,
    kind: Release.kind,
    metadata: { name, namespace },
    spec: { source: { url: `file://${source.path}`, path: name }, interval: "1s", ...spec },
  }));
}

/** The account that `shop` impersonates. */
export function deployerIn(namespace: string): readonly KubernetesObject[] {
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name: "deployer", namespace };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch", "delete"] }];
  const roleRef = { apiGroup: rbac, kind: "Role", name: "deployer" };
  const objects = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef,
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  ];
  return objects;
}
