import type { ObjectKind } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { stageRightName, type stageVerbs, VIRTUAL_STAGES } from "../../crds/stage-names.ts";
import type { ApiClient } from "../release/api-client.ts";

const SelfSubjectReview: ObjectKind = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  namespaced: false,
};

const SelfSubjectAccessReview: ObjectKind = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

/** The user of a kubeconfig, as the API server identifies it. */
export interface Caller {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Requests the user's identity from the API server. */
export async function readCaller(client: Pick<ApiClient, "ask">): Promise<Caller> {
  const { userInfo } = (await client.ask(SelfSubjectReview)) as {
    readonly userInfo: { readonly username: string; readonly groups?: readonly string[] };
  };
  return { username: userInfo.username, groups: userInfo.groups ?? [] };
}

export interface StageOf {
  readonly namespace: string;
  readonly pipeline: string;
  readonly stage: string;
}

/** Checks whether the user has a verb on a stage. */
export async function mayOnStage(
  client: Pick<ApiClient, "ask">,
  { namespace, ...stage }: StageOf,
  verb: keyof typeof stageVerbs,
): Promise<boolean> {
  const { allowed } = await client.ask(SelfSubjectAccessReview, {
    resourceAttributes: {
      group: Release.group,
      resource: VIRTUAL_STAGES,
      verb,
      namespace,
      name: stageRightName(stage),
    },
  });
  return allowed === true;
}
