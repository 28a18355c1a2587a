import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";
import { bundleProgram } from "../../cli/image/bundle-program.ts";
import { addZones } from "../../cli/image/write-image-files.ts";
import type { TestCluster } from "../../test/cluster/global-setup.ts";
import { install } from "../../test/cluster/install.ts";
import { sharedGroup, stampIn } from "../../test/cluster/stamp-kind.ts";
import { AdminApi } from "./api.ts";
import type { Upstream } from "./upstream.ts";

/** The parts that all schedules of a run share. */
export interface SharedSetup {
  readonly cluster: TestCluster;
  readonly api: AdminApi;
  /** The API server as the user `operator`. */
  readonly upstream: Upstream;
  /** The operator, bundled as for an image, so that it starts faster, and the module that is loaded before it. */
  readonly program: string;
  readonly preload: string;
  /** Environment with a compile cache, because compilation takes most of the start. */
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Restarts a part of the cluster. Undefined: the cluster is shared. */
  readonly restart: ((component: "kube-apiserver" | "etcd", graceMs: number) => Promise<void>) | undefined;
  close(): Promise<void>;
}

export async function createSharedSetup(
  cluster: TestCluster,
  restart?: SharedSetup["restart"],
): Promise<SharedSetup> {
  await install(cluster, { kinds: [stampIn(sharedGroup)], name: "stamps" });
  const folder = await mkdtemp(join(tmpdir(), "fairlead-faults-"));
  const api = await AdminApi.connect(cluster.kubeconfigPath);
  const [program, preload] = await Promise.all([
    bundle("operator-program", folder),
    bundle("clock-preload", folder),
  ]);
  const environment = { NODE_COMPILE_CACHE: join(folder, "compiled") };
  // Run the program to its end to fill the cache. A killed process does not write it.
  await promisify(execFile)(process.execPath, ["--import", preload, program, "--no-such-option"], {
    env: { ...process.env, ...environment },
  }).catch(() => undefined);
  return {
    cluster,
    api,
    upstream: await readUpstream(cluster.operatorKubeconfigPath),
    program,
    preload,
    environment,
    folder,
    restart,
    async close() {
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; "certificate-authority-data": string } }];
  readonly users: readonly [{ user: { token: string } }];
}

async function readUpstream(path: string): Promise<Upstream> {
  const { clusters, users } = parse(await readFile(path, "utf8")) as Kubeconfig;
  const { server, "certificate-authority-data": data } = clusters[0].cluster;
  return {
    server: new URL(server),
    certificate: Buffer.from(data, "base64").toString("utf8"),
    token: users[0].user.token,
  };
}

async function bundle(name: string, folder: string): Promise<string> {
  const outfile = join(folder, name, `${name}.mjs`);
  await bundleProgram({ entry: fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), outfile });
  if (name === "operator-program") await addZones(dirname(outfile));
  return outfile;
}
