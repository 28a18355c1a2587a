import { App } from "cdk8s";
import { Command } from "commander";
import { CrdsChart } from "../../charts/crds-chart.ts";
import type { Manifest } from "../../synth/manifest.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { toYaml } from "../../synth/yaml-text.ts";
import { printText } from "../terminal-text.ts";

/** `fairlead crds`: the CustomResourceDefinitions of all kinds, for `kubectl apply --server-side -f -`. */
export function crdsCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  return new Command("crds")
    .description("Print the CustomResourceDefinitions, for kubectl apply --server-side -f -")
    .action(() => {
      printText(
        crdsOf(kinds)
          .map((manifest) => toYaml(manifest))
          .join("---\n"),
      );
    });
}

/** The CustomResourceDefinitions of these kinds and of Release, as objects. */
export function crdsOf(kinds: readonly SynthesizableKind[]): readonly Manifest[] {
  return new CrdsChart(new App(), "crds", { kinds, releases: true }).toJson() as readonly Manifest[];
}
