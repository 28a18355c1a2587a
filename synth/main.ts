// The app that `cdk8s synth` runs: writes the manifests that install Fairlead, without network, and with the same result
// everywhere. Values are read from the file in FAIRLEAD_VALUES, or else from values.yaml in the working directory, if it
// exists.
import { existsSync, readFileSync } from "node:fs";
import { App } from "cdk8s";
import { shippedKinds } from "../charts/bindings-delivery.ts";
import { productChart } from "../charts/install-chart.ts";
import { OperatorValuesError } from "../charts/values/values-error.ts";
import { parseValues, ValuesTextError } from "./values-text.ts";

const packageFile = new URL("../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { readonly version: string };
const named = process.env["FAIRLEAD_VALUES"] ?? "";
const file = named === "" ? "values.yaml" : named;

try {
  // A given name must be valid.
  const text = named === "" && !existsSync(file) ? "" : readFileSync(file, "utf8");
  const app = new App();
  productChart(app, {
    kinds: shippedKinds,
    values: { image: `fairlead:${version}`, ...parseValues(text, file) },
  });
  app.synth();
} catch (error) {
  const complaint = complaintOf(error);
  if (complaint === undefined) throw error;
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 1;
}

/** The problem of the values; undefined if the error has another cause. */
function complaintOf(error: unknown): string | undefined {
  if (error instanceof OperatorValuesError) return error.message.replaceAll(/^/gm, `${file}: `);
  if (error instanceof ValuesTextError) return error.message;
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  return `Cannot read "${file}": ${error.code === "ENOENT" ? "no such file" : error.message}`;
}
