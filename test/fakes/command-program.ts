// Bundled by a test like the image's program: the command line in one folder.
import { main } from "../../cli/main.ts";

process.exitCode = await main(process.argv);
