import { eventually } from "../../test/cluster/eventually.ts";
import type { Chance } from "../faults/random.ts";
import { placesOf } from "./published.ts";
import { readAll, snapshotOf } from "./release-state.ts";
import { aConfigMap, deployFrom, untilReadyAt } from "./releases.ts";
import type { TenantsFixture } from "./tenants-fixture.ts";

/** The renderer and the location of publication of the Release of the victim. */
interface Way {
  readonly publish: { readonly branch?: string; readonly path?: string };
  readonly isProgram: boolean;
}

/** Creates the ConfigMaps that its inputs, a file in the same folder, name. */
const program = `
  import { ApiObject, type App, Chart } from "cdk8s";
  import objects from "./objects.json";
  export default (app: App) => {
    const chart = new Chart(app, "shop");
    for (const [name, value] of Object.entries(objects))
      new ApiObject(chart, name, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });
  };`;

/** The tenant that is attacked. It has one Release, whose objects change only with its own edits. */
export class Victim {
  readonly #fixture: TenantsFixture;
  readonly #way: Way;
  #wanted = new Map<string, string>();
  #edits = 0;

  constructor(fixture: TenantsFixture, chance: Chance) {
    this.#fixture = fixture;
    const { branch, folder } = placesOf(fixture.parties.victim);
    const publish = chance.pick([{}, { path: folder }, { branch, path: "." }]);
    this.#way = { publish, isProgram: chance.isHit(0.5) };
  }

  /** Commits other objects, and waits until exactly these are deployed and published. */
  async edit(chance: Chance): Promise<void> {
    const { victim } = this.#fixture;
    const names = ["web", "two", "three"].filter((name) => name === "web" || chance.isHit(0.6));
    const value = String(++this.#edits);
    const wanted = new Map(names.map((name) => [name, value]));
    const files = this.#filesOf(wanted);
    this.#wanted = wanted;
    const commit = victim.commit(files);
    const { publish, isProgram } = this.#way;
    if (this.#edits === 1) await deployFrom(victim, "shop", { publish, isProgram });
    await untilReadyAt(this.#fixture, victim, { name: "shop", commit });
    await eventually(() => this.#published().includes(value), { what: "the victim's edit is published" });
  }

  /** All of its objects and published files. */
  async snapshot(): Promise<readonly string[]> {
    const { victim } = this.#fixture;
    return [...snapshotOf(await readAll(this.#fixture, victim)), this.#published()];
  }

  /** The differences from the expected state. `before`: the state before a round in which it did nothing. */
  async compare(before: readonly string[] | undefined): Promise<readonly string[]> {
    const { victim } = this.#fixture;
    const objects = await readAll(this.#fixture, victim);
    const own = objects.filter(
      ({ kind, metadata }) => kind === "ConfigMap" && metadata.name !== "kube-root-ca.crt",
    );
    const has = own.map(
      ({ metadata, ...rest }) => `${metadata.name} ${(rest as { data?: { value?: string } }).data?.value}`,
    );
    const wants = [...this.#wanted].map(([name, value]) => `${name} ${value}`);
    const now = [...snapshotOf(objects), this.#published()];
    return [
      ...(has.toSorted().join() === wants.toSorted().join()
        ? []
        : [`the victim has ${has}, expected ${wants}`]),
      ...now
        .filter((one) => before !== undefined && !before.includes(one))
        .map((one) => `changed while the victim did nothing: ${one}`),
      ...(before ?? [])
        .filter((one) => !now.includes(one))
        .map((one) => `changed while the victim did nothing; it was: ${one}`),
    ];
  }

  #filesOf(wanted: ReadonlyMap<string, string>): Readonly<Record<string, string | undefined>> {
    if (this.#way.isProgram)
      return { "shop/main.ts": program, "shop/objects.json": JSON.stringify(Object.fromEntries(wanted)) };
    const gone = [...this.#wanted.keys()].filter((name) => !wanted.has(name));
    return {
      ...Object.fromEntries(gone.map((name) => [`shop/${name}.json`, undefined])),
      ...Object.fromEntries(
        [...wanted].map(([name, value]) => [`shop/${name}.json`, aConfigMap(name, value)]),
      ),
    };
  }

  /** The files that are published for it, as one text. */
  #published(): string {
    const { published, victim } = this.#fixture;
    const { branch = "main", path = "." } = this.#way.publish;
    const folder = `${path === "." ? "" : `${path}/`}${victim.namespace}/`;
    if (published.head(branch) === undefined) return "";
    const files = published.paths(branch).filter((file) => file.startsWith(folder));
    return files.map((file) => `${file}\n${published.read(file, branch)}`).join("\n");
  }
}
