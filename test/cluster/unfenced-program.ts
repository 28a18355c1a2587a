import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { composeElection } from "../../operator/compose/compose-election.ts";
import { composeOperator } from "../../operator/compose.ts";
import { parseOptionTexts } from "../../operator/config/command-line.ts";
import { readOperatorConfig } from "../../operator/config.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { createLogger } from "../../operator/telemetry/log.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

// An operator without its own fence. It does not detect the loss of its lease, and never ends by itself.
const clock = systemClock();
const config = readOperatorConfig(parseOptionTexts(process.argv.slice(2)), process.env);
const { kubeconfig, context, logLevel: level, logFormat: format } = config;
const access = await loadClusterAccess({ kubeconfig, context, env: process.env, clock });
const operator = await composeOperator(
  {
    kinds: [stampIn(sharedGroup)],
    config,
    access,
    environment: process.env,
    identity: process.env["POD_NAME"] ?? "",
    clock,
    random: Math.random,
    log: createLogger({ clock, level, format }),
  },
  {
    elect: (shared) => {
      const composed = composeElection(shared, () => undefined);
      const { election } = composed;
      const unfenced = {
        fence: { check() {} },
        isLeading: true,
        leader: "self" as const,
        get term() {
          return election.term;
        },
        tried: election.tried,
        elected: election.elected,
        start: () => election.start(),
        stop: () => election.stop(),
        stopRenewing: () => election.stopRenewing(),
        checkRenewal() {},
      };
      return { ...composed, election: unfenced, confirmLeadership: async () => true };
    },
  },
);
const alive = setInterval(() => undefined, 60_000);
process.once("SIGTERM", () => operator.stop());
process.exitCode = await operator.run();
clearInterval(alive);
