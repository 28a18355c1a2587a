import { readStages } from "../../charts/pipeline/shape.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import { Release } from "../../crds/release.ts";
import {
  isOfKind,
  type ReadReleasesOptions,
  readDocuments,
  toPlain,
  toRelease,
  toStored,
} from "../release/release-file.ts";
import { labelOfRelease, type ReleaseObject } from "../release/release-object.ts";
import type { PipelineObject } from "./pipeline-object.ts";

/** A Pipeline of a file, and the Releases in the same file. */
export interface PipelineFile {
  readonly pipeline: PipelineObject;
  /** By `namespace/name`. */
  readonly releases: ReadonlyMap<string, ReleaseObject>;
  /** Names of the Namespaces in the same file. */
  readonly namespaces: ReadonlySet<string>;
}

/**
 * Reads the Pipeline of a YAML or JSON text with its defaults, and the Releases in the same text. Objects of other kinds
 * are ignored, such as those of a rendered program.
 *
 * @throws Error with file, document and field if the text cannot be parsed, is invalid, or does not have exactly one Pipeline.
 */
export function readPipelineFile(text: string, options: ReadReleasesOptions): PipelineFile {
  const documents = readDocuments(text, options).map((one) => ({ ...one, object: toPlain(one) }));
  const [found, ...others] = documents.filter(({ document }) => isOfKind(document, Pipeline));
  if (found === undefined) throw new Error(`Cannot use ${options.file}: it has no Pipeline`);
  if (others.length > 0)
    throw new Error(`Cannot use ${options.file}: it has several Pipelines; use a file for each`);
  const pipeline = toStored(Pipeline, found, options) as PipelineObject;
  try {
    readStages(pipeline.spec, pipeline.metadata);
  } catch (error) {
    throw new Error(`Cannot use ${found.where}: ${error instanceof Error ? error.message : error}`);
  }
  const releases = documents
    .filter(({ document }) => isOfKind(document, Release))
    .map((one) => toRelease(one, options));
  const namespaces = documents.flatMap(({ object: { apiVersion, kind, metadata } }) =>
    apiVersion === "v1" && kind === "Namespace" && metadata?.name ? [metadata.name] : [],
  );
  return {
    pipeline,
    releases: new Map(releases.map((release) => [labelOfRelease(release), release])),
    namespaces: new Set(namespaces),
  };
}
