import { main } from "../../cli/main.ts";

/** The command `fairlead`, as cli/fairlead.js runs it. */
process.exitCode = await main(process.argv);
