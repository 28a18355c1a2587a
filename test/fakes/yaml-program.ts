import "undici/lib/dispatcher/pool.js";
import { Yaml } from "cdk8s";

/** Bundled by a test: writes YAML with the library of cdk8s. */
process.stdout.write(Yaml.stringify({ a: 1 }));
