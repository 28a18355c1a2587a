import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import type { RightsRule, StageProps, Subject } from "./pipeline-props.ts";
import type { InputsOf, ProgramModule } from "./program-inputs.ts";

/** The parts of a Pipeline that a stage uses. */
interface OwnPipeline extends Construct {
  readonly name: string;
  readonly namespace: string;
  readonly source: { readonly url: string; readonly secretRef?: object; readonly verify?: object };
}

interface PlacedStageProps extends StageProps {
  readonly after: readonly string[];
}

/** The deployment of a stage's Release, and its permissions. */
export interface StageReleaseProps<Inputs> {
  /** Folder in the repository. */
  readonly path: string;
  /** File of the program in the folder. Default: `main.ts`; `false`: the folder contains manifests, and no program. */
  readonly program?: string | false;
  /** Inputs of the program. */
  readonly inputs?: Inputs;
  /**
   * Permissions of the Release in the namespace of the stage: rules, or the name of a ClusterRole. Default: the
   * ClusterRole `edit`, which every cluster has.
   */
  readonly rights?: readonly RightsRule[] | string;
  /** Time after which an object that is not healthy has failed, such as `5m`. */
  readonly timeout?: string;
  /**
   * Name of the Releases of earlier stages that it is compared with, if the stage has `differences`. Default: the same name, or
   * else the only Release of the earlier stage.
   */
  readonly counterpart?: string;
}

/** `inputs` is required if the type argument is a program that needs them. */
type PropsFor<Program extends ProgramModule | undefined> = Program extends ProgramModule
  ? undefined extends InputsOf<Program>
    ? StageReleaseProps<InputsOf<Program>>
    : StageReleaseProps<InputsOf<Program>> & { readonly inputs: InputsOf<Program> }
  : StageReleaseProps<unknown>;

const api = "rbac.authorization.k8s.io";

/**
 * A stage of a Pipeline: its namespace, its Releases with a ServiceAccount each, and the users who may approve and
 * promote.
 */
export class Stage extends Construct {
  readonly name: string;
  readonly namespace: string;
  readonly #pipeline: OwnPipeline;
  readonly #props: PlacedStageProps;
  readonly #createsNamespace: boolean;
  /** Name, and the fields of the stage's entry other than name and namespace. */
  readonly #releases = new Map<string, { readonly counterpart?: string }>();

  constructor(pipeline: OwnPipeline, name: string, props: PlacedStageProps) {
    super(pipeline, name);
    const { namespace = `${pipeline.name}-${name}`, createNamespace = true } = props;
    this.name = name;
    this.namespace = namespace;
    this.#pipeline = pipeline;
    this.#props = props;
    const isCreated = this.#neighbours().some((stage) => stage.#createsNamespace);
    this.#createsNamespace = createNamespace && namespace !== pipeline.namespace && !isCreated;
    if (!this.#createsNamespace) return;
    // With a space: no Release has this name.
    new ApiObject(this, "own namespace", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
  }

  /**
   * Adds a Release to the stage, with a ServiceAccount of the same name that has the permissions in `rights`, in the
   * stage's namespace. `addRelease<typeof program>()` checks the inputs against the program's type or schema; import
   * the program with `import type * as program from "../web/main.ts"`.
   *
   * @throws RangeError if the stage, or another one with the same namespace, has a Release of this name.
   */
  addRelease<Program extends ProgramModule | undefined = undefined>(
    name: string,
    props: PropsFor<Program>,
  ): this {
    const fail = (why: string): never => {
      throw new RangeError(`Cannot add Release "${name}" to stage "${this.name}": ${why}`);
    };
    if (this.#releases.has(name)) fail("there is one of this name");
    const other = this.#neighbours().find((stage) => stage.#releases.has(name));
    if (other !== undefined)
      fail(`stage "${other.name}" has one of this name in namespace "${this.namespace}"`);
    const {
      path,
      program = "main.ts",
      inputs,
      rights = "edit",
      timeout,
      counterpart,
    }: StageReleaseProps<unknown> = props;
    this.#releases.set(name, counterpart === undefined ? {} : { counterpart });
    const { source, name: pipeline } = this.#pipeline;
    const scope = new Construct(this, name);
    const metadata = { name, namespace: this.namespace };
    new ApiObject(scope, "account", { apiVersion: "v1", kind: "ServiceAccount", metadata });
    const binding = this.#addRights(scope, name, rights);
    const { url, secretRef, verify } = source;
    const place = this.namespace === this.#pipeline.namespace ? {} : { namespace: this.#pipeline.namespace };
    const release = new ApiObject(scope, "release", {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "Release",
      metadata,
      spec: {
        source: {
          url,
          path,
          ref: { pipeline, stage: this.name, ...place },
          ...(secretRef && { secretRef }),
          ...(verify && { verify }),
        },
        render:
          program === false
            ? { manifests: {} }
            : { program: { entry: program, ...(inputs !== undefined && { inputs }) } },
        target: { serviceAccountName: name },
        ...(timeout !== undefined && { timeout }),
      },
    });
    // The Release is planned as soon as it exists, with these permissions.
    release.addDependency(binding);
    return this;
  }

  /** Allows users to create and delete Approvals for this stage. */
  allowApprovals(...subjects: readonly Subject[]): this {
    return this.#allow("approve", ["approvals"], subjects);
  }

  /** Allows users to create and delete Promotions to this stage, and to pin its Releases. */
  allowPromotions(...subjects: readonly Subject[]): this {
    return this.#allow("promote", ["promotions"], subjects);
  }

  /** Allows users to skip the gates of this stage, and to weaken its rules. */
  allowBypass(...subjects: readonly Subject[]): this {
    return this.#allow("bypass", ["promotions"], subjects);
  }

  /** The stage in the form of the Pipeline's spec. */
  spec(): object {
    const { after, namespace: _namespace, createNamespace: _createNamespace, ...rules } = this.#props;
    const releases = [...this.#releases].map(([name, more]) => ({
      name,
      namespace: this.namespace,
      ...more,
    }));
    return { name: this.name, ...(after.length > 0 && { after }), releases, ...rules };
  }

  /** The other stages with the same namespace. */
  #neighbours(): readonly Stage[] {
    return this.#pipeline.node.children.filter(
      (one): one is Stage => one instanceof Stage && one !== this && one.namespace === this.namespace,
    );
  }

  #addRights(scope: Construct, name: string, rights: readonly RightsRule[] | string): ApiObject {
    const metadata = { name, namespace: this.namespace };
    if (typeof rights !== "string")
      new ApiObject(scope, "role", { apiVersion: `${api}/v1`, kind: "Role", metadata, rules: rights });
    return new ApiObject(scope, "binding", {
      apiVersion: `${api}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef:
        typeof rights === "string"
          ? { apiGroup: api, kind: "ClusterRole", name: rights }
          : { apiGroup: api, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: this.namespace }],
    });
  }

  /**
   * Rules for the verb on the virtual resource `stages`, for the kind of object that uses it, and for reading what it is
   * about, which includes the plans of the stage's Releases.
   */
  #allow(verb: string, resources: readonly string[], subjects: readonly Subject[]): this {
    // With a space: no Release has this name.
    const id = `users who may ${verb}`;
    if (this.node.tryFindChild(id) !== undefined)
      throw new RangeError(
        `Cannot allow users to ${verb} for stage "${this.name}" twice: name all of them in one call`,
      );
    const { name: pipeline, namespace } = this.#pipeline;
    const stage = `${pipeline}.${this.name}`;
    const apiGroups = ["fairlead.dev"];
    const isShared = this.namespace === namespace;
    const read = ["pipelines", "promotions", "approvals", ...(isShared ? ["releases"] : [])];
    const verbs = ["get", "list", "watch"];
    const scope = new Construct(this, id);
    const grant = (place: string, rules: readonly RightsRule[]): void =>
      addRole(scope, { name: `${pipeline}-${this.name}-${verb}`, namespace: place }, { rules, subjects });
    grant(namespace, [
      { apiGroups, resources: ["stages"], resourceNames: [stage], verbs: [verb] },
      { apiGroups, resources: read, verbs },
      { apiGroups, resources, verbs: ["create", "delete"] },
    ]);
    if (!isShared) grant(this.namespace, [{ apiGroups, resources: ["releases"], verbs }]);
    return this;
  }
}

/** A Role with these rules, bound to users. */
function addRole(
  scope: Construct,
  metadata: { readonly name: string; readonly namespace: string },
  { rules, subjects }: { readonly rules: readonly RightsRule[]; readonly subjects: readonly Subject[] },
): void {
  const { name, namespace } = metadata;
  const apiVersion = `${api}/v1`;
  new ApiObject(scope, `${namespace}-role`, { apiVersion, kind: "Role", metadata, rules });
  new ApiObject(scope, `${namespace}-binding`, {
    apiVersion,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: api, kind: "Role", name },
    subjects: subjects.map(subjectOf),
  });
}

function subjectOf(subject: Subject): object {
  if ("serviceAccount" in subject)
    return { kind: "ServiceAccount", name: subject.serviceAccount, namespace: subject.namespace };
  return "user" in subject
    ? { apiGroup: api, kind: "User", name: subject.user }
    : { apiGroup: api, kind: "Group", name: subject.group };
}
