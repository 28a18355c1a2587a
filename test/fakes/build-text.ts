import { type BuildOptions, build } from "esbuild";

/** esbuild in the form that buildLibraries() needs. */
export async function buildText(options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build(options);
  return outputFiles[0]?.text ?? "";
}
