import type { Esbuild } from "./esbuild-service.ts";

/** The input of esbuild for one file. */
export interface ImportContents {
  readonly contents: string;
  readonly loader: "ts" | "js" | "json" | "text";
}

/** How a file of this name is imported; undefined: it cannot be. `type` is that of `import … with { type }`. */
export function importContents(
  path: string,
  text: string,
  type: string | undefined,
): ImportContents | undefined {
  if (type === "text") return { contents: text, loader: "text" };
  const extension = /\.([a-z]+)$/.exec(path)?.[1];
  switch (extension) {
    case "ts":
    case "mts":
      return { contents: asModule(text), loader: "ts" };
    case "js":
    case "mjs":
      return { contents: asModule(text), loader: "js" };
    case "json":
      return { contents: text, loader: "json" };
    case "txt":
      return { contents: text, loader: "text" };
    case "yaml":
    case "yml":
      // Parsed in the sandbox, because untrusted YAML costs time and memory.
      return {
        contents: `export default __fairlead.yaml(${JSON.stringify(path)}, ${JSON.stringify(text)});`,
        loader: "js",
      };
    default:
      return undefined;
  }
}

/**
 * A module is strict, so names in it have their usual meaning. esbuild would read the source map file that the comment
 * names.
 */
function asModule(text: string): string {
  return `${text.replaceAll(/(\/[/*][#@]\s*)sourceMappingURL=/g, "$1sourceMappingURL_")}\nexport {};`;
}

/**
 * Replaces `import()` in code. A bundler itself resolves it if its argument is a pattern: it searches files of this
 * machine, without calling a plugin. As `require()`, which the bundle defines, it throws when it is executed.
 */
export async function withoutDynamicImport(
  { contents, loader }: ImportContents,
  path: string,
  esbuild: Pick<Esbuild, "transform">,
): Promise<ImportContents> {
  const isCode = loader === "ts" || loader === "js";
  // Followed by a parenthesis, a dot, or a comment before them.
  if (!isCode || !/import\s*[(./]/.test(contents)) return { contents, loader };
  const lowered = await esbuild.transform(contents, {
    loader,
    sourcefile: path,
    supported: { "dynamic-import": false },
    sourcemap: "inline",
    sourcesContent: false,
    charset: "utf8",
    tsconfigRaw: {},
    logLevel: "silent",
  });
  return { contents: lowered, loader: "js" };
}
