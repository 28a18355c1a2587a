import "undici/lib/dispatcher/pool.js";
import { Yaml } from "cdk8s";
import { parseFile } from "../../operator/cluster/kube-config-file.ts";

/** Bundled by a test: writes YAML with the library of cdk8s, and reads a kubeconfig. */
process.stdout.write(Yaml.stringify({ a: 1 }));

const kubeconfig = parseFile("kind: Config\n", "kubeconfig");
process.stdout.write(`${kubeconfig.content["kind"]}\n`);
