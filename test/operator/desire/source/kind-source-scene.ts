import type { BoundKind } from "../../../../crds/binding.ts";
import type { GitSource } from "../../../../crds/kind-source.ts";
import type { SelectedRules } from "../../../../operator/desire/release/limits.ts";
import { createKindSources } from "../../../../operator/desire/source/kind-sources.ts";
import type { SourceRequest, SourceState } from "../../../../operator/git/source/ports.ts";
import type { Impersonation } from "../../../../operator/ports.ts";
import { buildInfo } from "../../../examples/build-info.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { aResource } from "../../../fakes/resources.ts";

export const url = "https://git.example.dev/shop";
export const key = "shop/web@buildinfos.example.dev";

export interface SceneOptions {
  readonly wish?: GitSource | undefined;
  readonly more?: Partial<NonNullable<BoundKind["source"]>>;
  readonly policy?: BoundKind["policy"];
  readonly rules?: SelectedRules;
}

/** The source of one BuildInfo, with what was asked of the zone and of the API server. */
export function aScene(options: SceneOptions = {}) {
  const { wish = "wish" in options ? undefined : { url }, more, policy = {} } = options;
  const { rules = { state: "known", limits: [] } } = options;
  const scene = {
    state: { state: "pending" } as SourceState,
    secret: async (): Promise<ReadonlyMap<string, string>> => new Map([["password", "s3cr3t"]]),
    asked: [] as SourceRequest[],
    forgotten: [] as string[],
    read: [] as string[],
    woken: [] as string[],
  };
  const clock = new FakeClock();
  const kind = { ...buildInfo, policy, source: { required: true, of: () => wish, ...more } };
  const sources = createKindSources({
    kind,
    sources: {
      resolve: (request) => {
        scene.asked.push(request);
        return scene.state;
      },
      forget: (forgotten) => void scene.forgotten.push(forgotten),
    },
    secrets: {
      read: async ({ namespace, name }, { as }) => {
        scene.read.push(`${namespace}/${name} as ${describeAccount(as)}`);
        return await scene.secret();
      },
      forget: ({ namespace, name }) => void scene.forgotten.push(`secret ${namespace}/${name}`),
    },
    platform: { select: () => rules, allowsLocal: false },
    clock,
    onAuthors: (known) => void scene.woken.push(known),
  });
  const annotations = { "fairlead.dev/requested-at": "now" };
  return Object.assign(scene, { sources, clock, ask: () => sources.read(aResource(kind, { annotations })) });
}

const describeAccount = (as: Impersonation | undefined) =>
  as === undefined ? "operator" : `${as.namespace}/${as.serviceAccountName}`;
