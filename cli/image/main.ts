// The program of the image: `fairlead run` for the kinds that ship, and nothing else of the command line.
import { kinds } from "../../charts/bindings.ts";
import { ConfigError } from "../../operator/config.ts";
import { runOperator } from "../../operator/main.ts";

try {
  process.exitCode = await runOperator({ kinds });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`fairlead: ${error.message}\n`);
  process.exitCode = 1;
}
