import { readFile } from "node:fs/promises";

const root = new URL("../../", import.meta.url);

/** The configuration of the Containerfile's last stage, as an image has it. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly User: string;
  readonly Env: readonly string[];
}

/**
 * Reads how the image is started, as whom and with what environment, from the Containerfile: no container engine runs
 * here to build it.
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
