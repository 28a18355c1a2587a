import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { Command } from "commander";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { toYaml } from "../../synth/yaml-text.ts";
import { checkTrust } from "../launcher/weak-sandbox.ts";
import { renderReleaseFile } from "../release/render-release-file.ts";
import { type Rendered, renderText } from "../render-text.ts";
import { printError, printText, unsafeOnTerminal } from "../terminal-text.ts";

interface RenderOptions {
  readonly namespace: string;
  readonly source?: string;
  readonly weakSandbox?: true;
}

/** `fairlead render`: prints the objects that the operator would apply for the given resources. It needs no cluster. */
export function renderCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const names = kinds.map(({ definition: { kind } }) => kind).join(", ");
  return new Command("render")
    .description("Print the manifests of custom resources and Releases, without a cluster")
    .argument("[files...]", "YAML or JSON files; - or no argument for the standard input")
    .option("-n, --namespace <name>", "namespace of resources that set none", "default")
    .option("--source <folder>", "local folder to use instead of the folder in a Release's repository")
    .option("--weak-sandbox", "in CI: render even if the kernel cannot isolate processes")
    .addHelpText(
      "after",
      `\nKinds: ${names}; a Release is rendered from the folder in --source.\nOwner references have a placeholder uid. Exits 1 if a manifest cannot be rendered, 2 if CI is set and the kernel does not isolate processes.`,
    )
    .action(async (files: readonly string[], options: RenderOptions) => {
      const { weakSandbox = false } = options;
      await checkTrust({ isLocal: true, env: process.env, weakSandbox });
      const documents: string[] = [];
      for (const file of files.length === 0 ? ["-"] : files) {
        for (const rendered of await renderFile(file, { ...options, kinds })) report(rendered, documents);
      }
      printText(documents.join("---\n"));
    });
}

function report({ manifests, warnings, errors }: Rendered, documents: string[]): void {
  for (const warning of warnings) printError(`Warning: ${warning}`);
  for (const error of errors) printError(error);
  if (errors.length > 0) process.exitCode = 1;
  for (const manifest of manifests) documents.push(toYaml(manifest, { escaped: unsafeOnTerminal }));
}

async function renderFile(
  path: string,
  options: RenderOptions & { readonly kinds: readonly SynthesizableKind[] },
): Promise<readonly Rendered[]> {
  const { namespace, source, weakSandbox = false, kinds } = options;
  const file = path === "-" ? "standard input" : path;
  let text: string;
  try {
    text = await (path === "-" ? readAll(process.stdin) : readFile(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ manifests: [], warnings: [], errors: [`Cannot read "${path}": ${reason}`] }];
  }
  const definitions = kinds.map(({ definition }) => definition);
  const release = await renderReleaseFile(text, { file, namespace, source, weakSandbox, kinds: definitions });
  return release === undefined ? renderText(text, { file, namespace, kinds }) : [release];
}
