import { Command } from "commander";
import type { SynthesizableKind } from "../../synth/synthesize.ts";

export function startCommand(_: { readonly kinds: readonly SynthesizableKind[] }): Command {
  return new Command("start");
}
