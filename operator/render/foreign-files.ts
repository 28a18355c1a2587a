import { showText } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";

/** Page that says what to do with the files of other tools. */
export const OTHER_TOOLS_PAGE = "docs/release-manifests.md#files-of-other-tools";

/** So much of a file says what it is. */
const readCharacters = 65_536;

/** Whether a file, by its name, makes its folder the input of another tool. Pure. */
export function mayBeForeign(path: string): boolean {
  return /(?:^|\/)(?:kustomization\.ya?ml|Kustomization|Chart\.yaml)$/.test(path);
}

/**
 * Refuses a folder that is written for Kustomize or Helm: applied as it is, it would be something else than its author means.
 * An object of Kubernetes in a file of that name is none of this.
 *
 * @throws {SourceError} that says what the file is, that it is not rendered, and where to read on.
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
