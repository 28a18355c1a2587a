import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { type AdminOptions, applyAsAdmin, existsForAdmin, RequestRefusedError } from "./admin.ts";

/** The sample custom resources of the package, Releases first. */
export function readSamples(): readonly KubernetesObject[] {
  const folder = findSamples();
  const samples = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .toSorted()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), "utf8")))
    .map((document) => document.toJS() as KubernetesObject);
  return [...samples.filter(isRelease), ...samples.filter((sample) => !isRelease(sample))];
}

/**
 * A Release gets the URL of the repository of the demo, also in the inputs of a program that creates further Releases;
 * other resources are not changed.
 */
export function withSource(sample: KubernetesObject, url: string): KubernetesObject {
  if (!isRelease(sample)) return sample;
  const { source, render, ...spec } = sample["spec"] as SampleSpec;
  const { program } = render;
  const { inputs } = program ?? {};
  const isGivenUrl = inputs?.url === source.url;
  return {
    ...sample,
    spec: {
      ...spec,
      source: { ...source, url },
      render: isGivenUrl ? { program: { ...program, inputs: { ...inputs, url } } } : render,
    },
  };
}

interface SampleSpec {
  readonly source: { readonly url: string };
  readonly render: { readonly program?: { readonly inputs?: { readonly url?: string } } };
}

export function isRelease({ kind }: KubernetesObject): boolean {
  return kind === Release.kind;
}

/** Folder of the samples; in an installed package it is beside the compiled sources. */
export function findSamples(): string {
  const places = ["../../samples", "../../../../samples"].map((path) => join(import.meta.dirname, path));
  const found = places.find((place) => {
    try {
      return readdirSync(place).length > 0;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("Cannot find the samples: the package is not complete");
  return found;
}

const triesMs = 200;
const patienceMs = 20_000;

/**
 * Creates a sample, unless an object with its name exists. Waits until its CRD is served, which is a moment after it was
 * accepted.
 *
 * @returns Whether it was created.
 */
export async function makeSample(
  sample: KubernetesObject,
  options: AdminOptions & { readonly signal: AbortSignal },
): Promise<boolean> {
  const { signal } = options;
  for (let waitedMs = 0; ; waitedMs += triesMs) {
    try {
      if (await existsForAdmin(sample, options)) return false;
      await applyAsAdmin(sample, options);
      return true;
    } catch (error) {
      const isTooEarly =
        error instanceof RequestRefusedError && (error.status === 404 || error.status >= 500);
      if (!isTooEarly || waitedMs >= patienceMs) throw error;
      await sleep(triesMs, undefined, { signal });
    }
  }
}
