interface YamlLibrary {
  parseAllDocuments(text: string, options: object): Iterable<YamlDocument>;
}

interface YamlDocument {
  readonly errors: readonly { readonly message: string }[];
  toJS(options: object): unknown;
}

/** How often one anchor may be repeated: a YAML bomb is an error, not a full memory. */
const ALIASES = 100;

/**
 * Values of imported YAML files, read as cdk8s reads YAML (1.1, as Kubernetes does). A file of one document is its
 * value; one of several is an array of them, empty ones left out.
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
