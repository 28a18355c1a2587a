// Bundled by a test as the image's program is: the command line in one folder.
import { main } from "../../cli/main.ts";

process.exitCode = await main(process.argv);
