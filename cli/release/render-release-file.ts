import type { ObjectKind } from "../../crds/object.ts";
import { prepareManifests } from "../../operator/desire/release/prepare-manifests.ts";
import { SourceError } from "../../operator/errors.ts";
import type { Rendered as RenderedText } from "../render-text.ts";
import { offlineKinds } from "./offline-kinds.ts";
import { readReleases } from "./release-file.ts";
import { labelOfRelease, type ReleaseObject } from "./release-object.ts";
import { renderFolder } from "./render-folder.ts";

export interface RenderReleaseFileOptions {
  /** Name of the text in messages. */
  readonly file: string;
  /** Namespace of Releases without one. */
  readonly namespace: string;
  /** Replaces the folder at the source's path. */
  readonly source: string | undefined;
  /** Read untrusted files even if the kernel cannot isolate the processes that handle them. */
  readonly weakSandbox: boolean;
  /** Kinds of the operator. */
  readonly kinds: readonly ObjectKind[];
}

/**
 * The manifests that the operator would apply for a Release in a text, with a local folder instead of its source.
 *
 * @returns Undefined if the text has no Release.
 */
export async function renderReleaseFile(
  text: string,
  options: RenderReleaseFileOptions,
): Promise<RenderedText | undefined> {
  let releases: readonly ReleaseObject[] | undefined;
  try {
    releases = readReleases(text, options);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
  const { file, source } = options;
  const [release, ...others] = releases ?? [];
  if (release === undefined) {
    return source === undefined ? undefined : failed(`${file}: it has no Release, but --source needs one`);
  }
  if (source === undefined) {
    return failed(
      `${file}: the source of a Release is a git repository; give a local copy of its folder with --source FOLDER`,
    );
  }
  if (others.length > 0) {
    const names = [release, ...others].map(labelOfRelease).join(", ");
    return failed(
      `${file}: has several Releases (${names}), but --source is the folder of one; use a file with one Release`,
    );
  }
  return await renderRelease(release, source, options);
}

async function renderRelease(
  release: ReleaseObject,
  source: string,
  { file, kinds, weakSandbox }: RenderReleaseFileOptions,
): Promise<RenderedText> {
  const known = offlineKinds(kinds);
  try {
    const rendered = await renderFolder(release, source, { weakSandbox });
    const { objects } = prepareManifests(rendered, release, known);
    const unknown = objects.filter(({ kind, needs }) => kind === undefined && needs.length === 0);
    return {
      manifests: objects.map(({ manifest }) => manifest),
      warnings: [
        ...(rendered.warnings ?? []),
        ...unknown.map(
          ({ manifest, origin }) =>
            `${origin}: without a cluster it is unknown whether a ${manifest.kind} has a namespace; its namespace is shown as written`,
        ),
      ],
      errors: [],
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return failed(`${file}: Release ${labelOfRelease(release)}: ${error.message}`);
  }
}

function failed(error: string): RenderedText {
  return { manifests: [], warnings: [], errors: [error] };
}
