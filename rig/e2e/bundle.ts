import { readFile } from "node:fs/promises";

const root = new URL("../../", import.meta.url);

/** The configuration of the Containerfile's last stage, in the format of an image. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly User: string;
  readonly Env: readonly string[];
}

/**
 * Reads entry point, user and environment of the image from the Containerfile, because there is no container engine to build
 * it.
 *
 * @throws Error if a line is missing.
 */
export async function readContainerfile(): Promise<ImageConfig> {
  const text = await readFile(new URL("Containerfile", root), "utf8");
  const stage = text.slice(text.lastIndexOf("\nFROM "));
  const argumentOf = (instruction: string): string => {
    const [, value] = new RegExp(`^${instruction} (.+)$`, "m").exec(stage) ?? [];
    if (value === undefined) throw new Error(`Cannot read the Containerfile: it has no ${instruction}`);
    return value;
  };
  return {
    Entrypoint: JSON.parse(argumentOf("ENTRYPOINT")) as string[],
    Cmd: JSON.parse(argumentOf("CMD")) as string[],
    User: argumentOf("USER"),
    Env: ["PATH=/usr/local/bin:/usr/bin:/bin", ...argumentOf("ENV").split(" ")],
  };
}
