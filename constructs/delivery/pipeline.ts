import { ApiObject, Lazy } from "cdk8s";
import { Construct } from "constructs";
import type { PipelineProps, StageProps } from "./pipeline-props.ts";
import { Stage } from "./stage.ts";

/** A stage's name: a DNS label, so that `pipeline.stage` is unambiguous. */
const stageName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * A Pipeline with its stages. Each stage follows the one that was added before it; the stages of a wave are parallel.
 *
 * ```ts
 * const shop = new Pipeline(chart, "shop", { name: "shop", namespace: "delivery", source: { url } });
 * shop.addStage("dev").addRelease<typeof web>("web", { path: "web", inputs: { replicas: 1 } });
 * ```
 */
export class Pipeline extends Construct {
  readonly name: string;
  readonly namespace: string;
  readonly source: PipelineProps["source"];
  readonly #stages: Stage[] = [];
  /** The stages that the next one follows. */
  #last: readonly string[] = [];

  constructor(scope: Construct, id: string, props: PipelineProps) {
    super(scope, id);
    const { name, namespace, source, serviceAccountName, interval, historyLimit } = props;
    this.name = name;
    this.namespace = namespace;
    this.source = source;
    // With a space: no stage has this name.
    new ApiObject(this, "own pipeline", {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "Pipeline",
      metadata: { name, namespace },
      spec: {
        source,
        ...(serviceAccountName !== undefined && { serviceAccountName }),
        ...(interval !== undefined && { interval }),
        ...(historyLimit !== undefined && { historyLimit }),
        // Stages and Releases are added later.
        stages: Lazy.any({ produce: () => this.#stages.map((stage) => stage.spec()) }),
      },
    });
  }

  /**
   * Adds a stage after the existing ones.
   *
   * @throws RangeError if the name is not a DNS label or is in use.
   */
  addStage(name: string, props: StageProps = {}): Stage {
    const { [name]: stage } = this.addWave({ [name]: props });
    // addWave() returns a stage for each name.
    return stage as Stage;
  }

  /**
   * Adds parallel stages: all follow the same stages, and the next stage follows all of them.
   *
   * @returns The stages by name.
   * @throws RangeError if there is none, or a name is not a DNS label or is in use.
   */
  addWave<Name extends string>(wave: Readonly<Record<Name, StageProps>>): Readonly<Record<Name, Stage>> {
    const after = this.#last;
    const names = Object.keys(wave) as Name[];
    if (names.length === 0)
      throw new RangeError(`Cannot add a wave to Pipeline "${this.name}": it has no stage`);
    const stages = names.map((name) => this.#add(name, { ...wave[name], after }));
    this.#last = names;
    return Object.fromEntries(stages.map((stage) => [stage.name, stage])) as Record<Name, Stage>;
  }

  #add(name: string, props: StageProps & { readonly after: readonly string[] }): Stage {
    const fail = (why: string): never => {
      throw new RangeError(`Cannot add stage "${name}" to Pipeline "${this.name}": ${why}`);
    };
    if (!stageName.test(name))
      fail("a name has lower-case letters, digits and hyphens, at most 63 characters");
    if (this.#stages.some((stage) => stage.name === name)) fail("there is a stage of this name");
    const stage = new Stage(this, name, props);
    this.#stages.push(stage);
    return stage;
  }
}
