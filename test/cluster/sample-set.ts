import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { kinds } from "../../charts/bindings.ts";
import type { KindDefinition } from "../../crds/kind.ts";
import { apiVersionOf } from "../../crds/object.ts";
import { Podbuggertool } from "../../crds/podbuggertool.ts";
import type { Manifest } from "../../synth/manifest.ts";
import { applyObjects, eventually } from "./fixture.ts";
import { seen, untilReady } from "./harness.ts";

const files = ["echo", "scheduled-echo", "memcached", "easy-service", "pod-set", "runtime", "podbuggertool"];

/** One resource of every shipped kind, from `samples/`. None of them changes without an edit. */
export function samplesIn(namespace: string): readonly Manifest[] {
  return files.map((file) => sampleOf(file, namespace));
}

/** Applies them. */
export async function applySamples(namespace: string): Promise<readonly Manifest[]> {
  const samples = samplesIn(namespace);
  await applyObjects(...samples);
  return samples;
}

/** Waits until all of them are Ready, and the three memcached pods have the Podbuggertool's container. */
export async function untilSamplesReady(samples: readonly Manifest[]): Promise<void> {
  for (const sample of samples) {
    const { name, namespace = "" } = sample.metadata;
    const definition = definitionOf(sample);
    await untilReady(definition, namespace, name);
    if (definition !== Podbuggertool) continue;
    await eventually(async () => (await seen(definition, namespace, name)).status?.["installed"] === 3, {
      what: "the container is in every memcached pod",
    });
  }
}

function sampleOf(file: string, namespace: string): Manifest {
  const text = readFileSync(join(import.meta.dirname, `../../samples/${file}.yaml`), "utf8")
    .replaceAll("namespace: default", `namespace: ${namespace}`)
    // Node ports are cluster-wide: another Service may use this one.
    .replace(/^ +nodePort: .*\n/m, "")
    // None of its Jobs starts while a test counts writes.
    .replace("*/1 * * * *", "0 0 1 1 *");
  return parseAllDocuments(text)[0]?.toJS() as Manifest;
}

function definitionOf({ apiVersion, kind }: Manifest): KindDefinition {
  const found = kinds.find(
    ({ definition }) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
  );
  if (found === undefined) throw new Error(`no kind of ours: ${kind}`);
  return found.definition;
}
