interface YamlLibrary {
  parseAllDocuments(text: string, options: object): Iterable<YamlDocument>;
}

interface YamlDocument {
  readonly errors: readonly { readonly message: string }[];
  toJS(options: object): unknown;
}

/** Maximum expansions of one anchor: a YAML bomb then causes an error instead of exhausting the memory. */
const ALIASES = 100;

/**
 * Values of imported YAML files, parsed as cdk8s parses YAML (1.1, as in Kubernetes). A file with one document becomes
 * its value; a file with several becomes an array of them, without empty ones.
 */
export function createYamlImports(library: () => unknown): (path: string, text: string) => unknown {
  return (path, text) => {
    const values: unknown[] = [];
    let documents = 0;
    const options = { version: "1.1", merge: true, prettyErrors: true };
    for (const document of (library() as YamlLibrary).parseAllDocuments(text, options)) {
      documents += 1;
      const [error] = document.errors;
      if (error !== undefined) throw new SyntaxError(`${path}: ${error.message.split("\n")[0] ?? ""}`);
      const value = document.toJS({ maxAliasCount: ALIASES });
      if (value !== null && value !== undefined) values.push(value);
    }
    return documents > 1 ? values : values[0];
  };
}
