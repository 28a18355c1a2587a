#!/usr/bin/env -S node --max-semi-space-size=8 --max-old-space-size=1024
// In the repository the sources run as they are; an installed package has only what `npm pack` built,
// because Node does not run TypeScript below node_modules. The flags keep the operator's memory small.
import { existsSync } from "node:fs";

const [major = "0"] = process.versions.node.split(".");
if (Number(major) < 26) {
  process.stderr.write(
    `fairlead: Node ${process.version} is too old, Node 26 is needed; in the repository, npx fairlead brings it\n`,
  );
  process.exit(1);
}
const source = new URL("./main.ts", import.meta.url);
const built = new URL("../dist/package/cli/main.js", import.meta.url);
const { main } = await import((existsSync(source) ? source : built).href);
process.exitCode = await main(process.argv);
