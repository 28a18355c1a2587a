import { kinds } from "../../charts/bindings.ts";
import { ConfigError } from "../../operator/config.ts";
import { runOperator } from "../../operator/main.ts";
import { printError } from "../terminal-text.ts";

/** Runs the operator with the built-in kinds. @returns The exit code. */
export async function runImageOperator(): Promise<number> {
  try {
    const loadReleaseKinds = async () => (await import("../../charts/bindings-delivery.ts")).deliveryKinds;
    return await runOperator({ kinds, loadReleaseKinds });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printError(`fairlead: ${error.message}`);
    return 1;
  }
}
