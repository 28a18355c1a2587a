import { type BuildOptions, build } from "esbuild";

/** esbuild as buildLibraries() takes it. */
export async function buildText(options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build(options);
  return outputFiles[0]?.text ?? "";
}
