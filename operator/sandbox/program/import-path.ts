/** The packages that a program may import in addition to its own files. */
export const importable = ["cdk8s", "cdk8s-plus-27", "constructs", "fairlead/delivery", "zod"] as const;

/** The target of an import: a library, a file of the folder, or the reason why it is rejected. */
export type ImportTarget =
  | { readonly library: string }
  | { readonly path: string }
  | { readonly refused: string };

/** As in TypeScript: an import of `x.js` refers to the source `x.ts`, and the extension may be omitted. */
const candidates = (path: string): readonly string[] => [
  path,
  path.replace(/\.(m?)js$/, ".$1ts"),
  ...["ts", "mts", "js", "mjs", "json"].map((extension) => `${path}.${extension}`),
  `${path}/index.ts`,
  `${path}/index.js`,
];

/**
 * Resolves one import of a program. Pure: it uses only the list of the folder's files.
 *
 * @param specifier As written in the program.
 * @param importer Path of the file that imports, relative to the folder; undefined: the specifier is the entry itself.
 * @param folder Every regular file, and every rejected entry with its type.
 */
export function resolveImport(
  specifier: string,
  importer: string | undefined,
  folder: { readonly files: ReadonlySet<string>; readonly refused: ReadonlyMap<string, string> },
): ImportTarget {
  const isRelative = importer === undefined || /^\.\.?(\/|$)/.test(specifier);
  if (!isRelative) return resolveBare(specifier);
  const path = joinPath(importer, specifier);
  if (path === undefined) return { refused: "it leaves the folder of the Release's source" };
  const found = candidates(path).find((candidate) => folder.files.has(candidate));
  if (found !== undefined) return { path: found };
  for (const [entry, what] of folder.refused) {
    if (path === entry || path.startsWith(`${entry}/`)) return { refused: `${entry} is a ${what}` };
  }
  return {
    refused: importer === undefined ? "the file does not exist in the folder" : `there is no ${path}`,
  };
}

function resolveBare(specifier: string): ImportTarget {
  if ((importable as readonly string[]).includes(specifier)) return { library: specifier };
  const library = importable.find((name) => specifier.startsWith(`${name}/`));
  if (library !== undefined) return { refused: `import it from "${library}" itself` };
  if (specifier.startsWith("/") || /^[a-z]+:\/\//i.test(specifier)) {
    return { refused: 'files are imported by relative paths, such as "./web.ts"' };
  }
  if (/^node:/.test(specifier) || nodeModules.has(specifier.split("/")[0] ?? "")) {
    return {
      refused: "a program cannot use Node modules: no files, no network, no processes, no environment",
    };
  }
  return {
    refused: `a program imports ${importable.join(", ")} and its own files, and no other packages: copy what is needed into the folder`,
  };
}

const nodeModules: ReadonlySet<string> = new Set(
  "assert async_hooks buffer child_process cluster console crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls tty url util v8 vm wasi worker_threads zlib".split(
    " ",
  ),
);

/** `./b` relative to `x/a.ts` is `x/b`. Undefined: it leaves the folder. */
function joinPath(importer: string | undefined, specifier: string): string | undefined {
  const parts = importer?.split("/").slice(0, -1) ?? [];
  for (const part of specifier.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}
