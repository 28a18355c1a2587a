import { eventually } from "../../test/cluster/eventually.ts";
import { isReadyAt, readAll } from "./release-state.ts";
import type { Tenant } from "./tenant.ts";
import type { TenantsFixture } from "./tenants-fixture.ts";

export interface DeployOptions {
  readonly publish?: object;
  /** Whether a program, `main.ts`, creates the objects. Default: the files are the objects. */
  readonly isProgram?: boolean;
}

/** Writes a Release of the folder with its name, with the tenant's account that has rights. */
export async function deployFrom(
  tenant: Tenant,
  name: string,
  { isProgram = false, ...more }: DeployOptions = {},
): Promise<void> {
  const target = { serviceAccountName: "deployer" };
  const render = isProgram ? { program: {} } : { manifests: {} };
  const spec = { source: tenant.sourceOf(name), interval: "1s", render, target, ...more };
  const status = await tenant.release(name, spec);
  if (status >= 300) throw new Error(`Cannot apply Release ${name}: ${status}`);
}

export async function untilReadyAt(
  fixture: TenantsFixture,
  tenant: Tenant,
  { name, commit }: { readonly name: string; readonly commit: string },
): Promise<void> {
  await eventually(
    async () => {
      const release = (await readAll(fixture, tenant)).find(
        ({ kind, metadata }) => kind === "Release" && metadata.name === name,
      );
      if (release !== undefined && isReadyAt(release, commit)) return true;
      throw new Error(JSON.stringify(release?.status ?? "no status"));
    },
    { what: `Release ${tenant.namespace}/${name} is Ready at ${commit}` },
  );
}

export function aConfigMap(name: string, value: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });
}
