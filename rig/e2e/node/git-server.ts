import { readFileSync } from "node:fs";
import { gitHttpServer } from "../../../test/fakes/git-http-server.ts";
import { network, pathOf } from "./layout.ts";

/** Runs inside the namespaces: `git-server.ts RUN_DIRECTORY`. The git host of the run, for the user `operator`. */
const runDirectory = process.argv[2] ?? "";
const read = (file: Parameters<typeof pathOf>[1]) => readFileSync(pathOf(runDirectory, file), "utf8");
const basic = Buffer.from(`operator:${read("gitPassword")}`).toString("base64");

gitHttpServer({
  root: pathOf(runDirectory, "gitRoot"),
  certificate: { certificate: read("gitCertificate"), key: read("gitKey") },
  authorizations: [`Basic ${basic}`],
}).listen(network.gitPort, network.address);
