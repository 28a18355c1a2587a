import { groupOf, type KubernetesObject } from "../../crds/object.ts";
import { FIELD_MANAGER, stamps } from "../../synth/manifest.ts";

/** The labels and annotations that tools set on the objects that they apply, and the names of the tools. */
const labels: Readonly<Record<string, string>> = {
  [stamps.set]: "another resource",
  [stamps.partOf]: "an ApplySet",
  "kustomize.toolkit.fluxcd.io/name": "a Kustomization of Flux",
  "helm.toolkit.fluxcd.io/name": "a HelmRelease of Flux",
  "argocd.argoproj.io/instance": "Argo CD",
  "kapp.k14s.io/app": "kapp",
};
const annotations: Readonly<Record<string, string>> = {
  "argocd.argoproj.io/tracking-id": "Argo CD",
  "argocd.argoproj.io/installation-id": "Argo CD",
  "meta.helm.sh/release-name": "Helm",
  "applyset.kubernetes.io/tooling": "an ApplySet",
  "configmanagement.gke.io/managed": "Config Sync",
  "objectset.rio.cattle.io/id": "Fleet",
};

/**
 * The owner of a resource, or the tool that applies it. It would recreate the resource after a deletion. Undefined: not
 * known. Pure.
 */
export function declaredBy({ metadata }: Pick<KubernetesObject, "metadata">): string | undefined {
  const [owner] = metadata.ownerReferences ?? [];
  if (owner !== undefined)
    return `${owner.kind}.${groupOf(owner.apiVersion)} ${owner.name}`.replace(". ", " ");
  const resource = metadata.annotations?.[stamps.owner];
  if (resource !== undefined) return resource;
  const tool = findMark(metadata.labels, labels) ?? findMark(metadata.annotations, annotations);
  if (tool !== undefined) return tool;
  const manager = metadata.labels?.["app.kubernetes.io/managed-by"];
  return manager === FIELD_MANAGER ? undefined : manager;
}

/** The tool, and the value of its label or annotation, which usually is a name. */
function findMark(
  on: Readonly<Record<string, string>> | undefined,
  marks: Readonly<Record<string, string>>,
): string | undefined {
  const found = Object.entries(marks).find(([name]) => on?.[name] !== undefined);
  return found && `${found[1]} (${found[0]}: ${on?.[found[0]]})`;
}
