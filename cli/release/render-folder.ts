import type { Logger } from "../../operator/ports.ts";
import { localFiles } from "../../operator/render/local-files.ts";
import type { Rendered } from "../../operator/render/ports.ts";
import { renderOnce } from "../../operator/render/render-once.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { createTrustedPrograms } from "../launcher/weak-sandbox.ts";
import { labelOfRelease, type ReleaseObject } from "./release-object.ts";

/** Failures are thrown; the other methods are not used. */
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/**
 * Renders a Release from a folder of this machine, which replaces the one at its source's path.
 *
 * @throws {SourceError} that names file, line and field.
 * @throws {WeakSandboxError} if the folder is not trusted enough for this kernel. Nothing of it is read then.
 */
export async function renderFolder(
  release: ReleaseObject,
  folder: string,
  { weakSandbox }: { readonly weakSandbox: boolean },
): Promise<Rendered> {
  const clock = systemClock();
  const trust = { isLocal: true, env: process.env, weakSandbox };
  const programs = await createTrustedPrograms(trust, { clock, log: silent });
  try {
    const revision = { tree: "local", repositoryId: "local", files: localFiles(folder) };
    const { namespace = "" } = release.metadata;
    const request = { key: labelOfRelease(release), namespace, render: release.spec.render, revision };
    return await renderOnce(request, { clock, programs });
  } finally {
    await programs.close();
  }
}
