import { showText } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";

/** Page that describes what to do with the files of other tools. */
export const OTHER_TOOLS_PAGE = "docs/release-manifests.md#files-of-other-tools";

/** Number of characters at the beginning of a file that identify its tool. */
const readCharacters = 65_536;

/** Whether the name of a file makes its folder the input of another tool. Pure. */
export function mayBeForeign(path: string): boolean {
  return /(?:^|\/)(?:kustomization\.ya?ml|Kustomization|Chart\.yaml)$/.test(path);
}

/**
 * Rejects a folder that is written for Kustomize or Helm: applied without these tools, it would not have the effect that
 * its author intends. A Kubernetes object in a file with such a name is accepted.
 *
 * @throws {SourceError} that names the tool and the page about it.
 */
export function refuseForeign(path: string, content: string): void {
  const tool = toolOf(path, content.slice(0, readCharacters));
  if (tool === undefined) return;
  throw new SourceError(
    "RenderFailed",
    `${showText(path)}: is ${tool}, which is not rendered here; see ${OTHER_TOOLS_PAGE}`,
  );
}

function toolOf(path: string, text: string): string | undefined {
  const isObject = /^kind:/m.test(text);
  if (path.endsWith("Chart.yaml")) return isObject ? undefined : "part of a Helm chart";
  const isKustomize = !isObject || /^apiVersion: {0,9}["']?kustomize\.config\.k8s\.io\//m.test(text);
  return isKustomize ? "a file of Kustomize" : undefined;
}
