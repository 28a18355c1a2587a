import { type Act, type StageName, stageNames } from "./points.ts";

/** The version of each stage's content. */
export type Contents = Readonly<Record<StageName, number>>;

/** The user's intent: the content of every commit for each stage. */
export class PushedContents {
  /** By commit id. */
  readonly commits = new Map<string, Contents>();
  #history: readonly Contents[] = [];
  #pushes = 0;

  /** The content of the newest commit. */
  get now(): Contents {
    return this.#history.at(-1) ?? { dev: 0, staging: 0, prod: 0 };
  }

  /** The files that an action pushes; undefined: it pushes none. */
  filesFor(act: Act): Readonly<Record<string, string>> | undefined {
    if (act === "go back") return undefined;
    this.#pushes += 1;
    const contents = this.#next(act);
    this.#history = [...this.#history, contents];
    const files = stageNames.flatMap((stage) => filesOf(stage, contents[stage]));
    // Every push must change a file. This one is not in a stage.
    return Object.fromEntries([...files, ["shop/README", `Push ${this.#pushes}\n`]]);
  }

  /** Records the commit of the last returned files. */
  note(revision: string): void {
    this.commits.set(revision, this.now);
  }

  #next(act: Act): Contents {
    const version = this.#pushes;
    switch (act) {
      case "push staging":
        return { ...this.now, staging: version };
      case "push prod":
        return { ...this.now, prod: version };
      case "push a revert":
        return this.#history.at(-2) ?? this.now;
      case "push nothing":
      case "go back":
        return this.now;
      case "push all":
        return { dev: version, staging: version, prod: version };
    }
  }
}

export const nameIn = (stage: StageName): string => `web-${stage}`;

function filesOf(stage: StageName, version: number): readonly (readonly [string, string])[] {
  const metadata = { name: nameIn(stage) };
  const labels = { app: nameIn(stage) };
  const containers = [{ name: "web", image: `nginx:v${version}` }];
  const template = { metadata: { labels }, spec: { containers } };
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { version: String(version) } };
  const deployment = {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
  return [
    [`shop/${stage}/config.json`, `${JSON.stringify(configMap, undefined, 2)}\n`],
    [`shop/${stage}/web.json`, `${JSON.stringify(deployment, undefined, 2)}\n`],
  ];
}
