// The app that `cdk8s synth` runs: writes the manifests that install Fairlead, without network, the same everywhere.
import { readFileSync } from "node:fs";
import { App } from "cdk8s";
import { kinds } from "../charts/bindings.ts";
import { installChart } from "../charts/install-chart.ts";

const packageFile = new URL("../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { readonly version: string };

const app = new App();
installChart(app, { kinds, values: { image: `fairlead:${version}` } });
app.synth();
