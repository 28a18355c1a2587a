import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SourceError } from "../../../operator/errors.ts";
import type { SourceCommit } from "../../../operator/git/source/ports.ts";
import { tryIsolation } from "../../../operator/git/try-isolation.ts";
import type { Logger } from "../../../operator/ports.ts";
import type { Rendered } from "../../../operator/render/ports.ts";
import { renderOnce } from "../../../operator/render/render-once.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { provideLauncher } from "../../launcher/build-launcher.ts";
import { createTrustedPrograms, requireIsolation } from "../../launcher/weak-sandbox.ts";
import type { ApiClient } from "../api-client.ts";
import { labelOfRelease, type ReleaseObject } from "../release-object.ts";
import { renderFolder } from "../render-folder.ts";
import { resolveSource } from "./resolve-source.ts";

export interface RenderReleaseOptions {
  readonly client: ApiClient;
  /** A folder of this machine instead of the repository's folder. */
  readonly folder: string | undefined;
  /** Full id of a commit, instead of the source's ref. */
  readonly revision: string | undefined;
  readonly timeoutMs: number;
  /** Read untrusted files even if the kernel cannot isolate the processes that handle them. */
  readonly weakSandbox: boolean;
}

/** Rendered source and its commits: the head, and the newest one that changed it; none for a folder. */
export interface RenderedRelease {
  readonly rendered: Rendered;
  readonly commits: readonly SourceCommit[];
}

/** Failures are thrown; the other methods are not used. */
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/**
 * Renders a Release once, with the code of the operator.
 *
 * @throws SourceError with the problem of source, files or program.
 * @throws WeakSandboxError if the source is not trusted enough for this kernel. Nothing of it is fetched or read then.
 */
export async function renderRelease(
  release: ReleaseObject,
  options: RenderReleaseOptions,
): Promise<RenderedRelease> {
  try {
    return await tryToRender(release, options);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const what = `Cannot render Release ${labelOfRelease(release)}: ${error.message}`;
    throw new SourceError(error.reason, what, { cause: error });
  }
}

async function tryToRender(
  release: ReleaseObject,
  { folder, weakSandbox, ...options }: RenderReleaseOptions,
): Promise<RenderedRelease> {
  if (folder !== undefined)
    return { rendered: await renderFolder(release, folder, { weakSandbox }), commits: [] };
  const clock = systemClock();
  await using cleanup = new AsyncDisposableStack();
  const trust = { isLocal: false, env: process.env, weakSandbox };
  const programs = await createTrustedPrograms(trust, { clock, log: silent });
  cleanup.defer(() => programs.close());
  const cacheDirectory = await mkdtemp(join(tmpdir(), "fairlead-diff-"));
  cleanup.defer(() => rm(cacheDirectory, { recursive: true, force: true }));
  const environment = process.env;
  const { confine, isolation } = await tryIsolation({
    ...{ launcher: await provideLauncher(environment), cache: cacheDirectory, environment, clock },
    isRoot: process.getuid?.() === 0,
    log: silent,
  });
  requireIsolation(isolation, trust, "git processes");
  const source = cleanup.use(
    await resolveSource(release, { ...options, cacheDirectory, confine, clock, log: silent }),
  );
  const { revision } = source;
  const { namespace = "" } = release.metadata;
  const request = { key: labelOfRelease(release), namespace, render: release.spec.render, revision };
  const rendered = await renderOnce(request, { clock, programs });
  return { rendered, commits: [revision.head, revision.changed] };
}
