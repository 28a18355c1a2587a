import { ConfigMap } from "../../../crds/core-kinds.ts";
import { type KindController, toSource } from "../../../operator/compose/controllers.ts";
import { type Endpoint, Operator } from "../../../operator/compose/operator.ts";
import type { GitPublisher } from "../../../operator/git/publish/git-publisher.ts";
import type { Reconcile } from "../../../operator/ports.ts";
import { runController } from "../../../operator/runtime/controller.ts";
import type { Election } from "../../../operator/runtime/election.ts";
import { WorkQueue } from "../../../operator/runtime/queue.ts";
import { aGadgetKind } from "../../fakes/gadget.ts";
import { WatchedKinds } from "../../fakes/watched-kinds.ts";

interface Options {
  /** One controller for each. */
  readonly reconciles?: readonly Reconcile[];
  readonly endpoints?: readonly Endpoint[];
  readonly leads?: boolean;
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
}

/** An operator whose parts record their calls. */
export function anOperator({
  reconciles = [async () => ({})],
  endpoints = [],
  leads = true,
  prepare = async () => {},
}: Options = {}) {
  const watched = new WatchedKinds({ kinds: [aGadgetKind({ children: [ConfigMap] })] });
  const { clock, log, stores } = watched;
  const did: string[] = [];
  const note = (what: string) => async (): Promise<void> => void did.push(what);
  const elected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<void>();
  const election: Election = {
    fence: { check() {} },
    isLeading: leads,
    term: undefined,
    leader: leads ? "self" : undefined,
    tried: Promise.resolve(),
    elected: elected.promise,
    start: () => void did.push("election starts"),
    stop: note("lease is released"),
    stopRenewing: () => void did.push("lease is no longer renewed"),
    checkRenewal() {},
  };
  const controllers = reconciles.map((reconcile, index): KindController => {
    const queue = new WorkQueue({ clock });
    const run: KindController["run"] = async ({ gate, signal }) => {
      const sources = stores.watched.map((one) => toSource(one, signal));
      await runController({ queue, workers: 1, reconcile, clock, log, gate, signal, sources });
      did.push(`workers ${index} end`);
    };
    const [watch, close] = [async () => {}, async () => {}];
    return { name: `controller-${index}`, queue, report: () => undefined, run, watch, close };
  });
  const publisher = {
    start: () => void did.push("git starts"),
    sweep: () => void did.push("git is swept"),
    close: async ({ flushMs }: { readonly flushMs: number }) => void did.push(`git ends within ${flushMs}`),
  } as unknown as GitPublisher;
  const operator = new Operator({
    stores,
    controllers,
    election,
    leaseLost: lost.promise,
    prepare,
    reportFences: async () => {},
    publisher,
    closeEvents: note("events end"),
    endpoints,
    close: note("connections end"),
    clock,
    log,
  });
  const code: { is?: number } = {};
  const run = () => {
    const running = operator.run();
    running.then(
      (is) => (code.is = is),
      () => undefined,
    );
    return running;
  };
  return { operator, run, code, did, clock, log, watched, elected, lost, controllers };
}
