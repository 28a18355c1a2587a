/** What esbuild is given for one file. */
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
      return { contents: withoutSourceMap(text), loader: "ts" };
    case "js":
    case "mjs":
      return { contents: withoutSourceMap(text), loader: "js" };
    case "json":
      return { contents: text, loader: "json" };
    case "txt":
      return { contents: text, loader: "text" };
    case "yaml":
    case "yml":
      // Parsed where the program runs: YAML of strangers costs time and memory.
      return {
        contents: `export default __fairlead.yaml(${JSON.stringify(path)}, ${JSON.stringify(text)});`,
        loader: "js",
      };
    default:
      return undefined;
  }
}

/** esbuild would look for the file that such a comment names. */
function withoutSourceMap(text: string): string {
  return text.replaceAll(/(\/[/*][#@]\s*)sourceMappingURL=/g, "$1sourceMappingURL_");
}
