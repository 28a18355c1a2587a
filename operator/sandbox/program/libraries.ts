import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOf } from "../../../synth/digest.ts";
import type { ProgramLibraries } from "./build-libraries.ts";
import type { Esbuild } from "./esbuild-service.ts";

/** Name of the file in an image, beside the program: the result of buildLibraries() as JSON. */
export const librariesFile = "program-libraries.json";

/** The libraries with their digest: a program's objects depend on them as on its own code. */
export interface LoadedLibraries extends ProgramLibraries {
  readonly digest: string;
}

/** Reads the libraries of an image, or builds them from installed packages. */
export async function loadLibraries(esbuild: Esbuild): Promise<LoadedLibraries> {
  const libraries = (await readPrepared()) ?? (await buildHere(esbuild));
  const digest = digestOf(libraries.libraries.map(({ code }) => code).join("\n"));
  return { ...libraries, digest };
}

async function readPrepared(): Promise<ProgramLibraries | undefined> {
  try {
    return JSON.parse(await readFile(join(import.meta.dirname, librariesFile), "utf8")) as ProgramLibraries;
  } catch {
    return undefined;
  }
}

async function buildHere(esbuild: Esbuild): Promise<ProgramLibraries> {
  const { buildLibraries } = await import("./build-libraries.ts");
  return buildLibraries(async (options) => {
    const outcome = await esbuild.build(options);
    if (!outcome.ok) throw new Error(`Cannot bundle the libraries: ${outcome.messages[0]?.text ?? ""}`);
    return outcome.files[0]?.text ?? "";
  });
}
