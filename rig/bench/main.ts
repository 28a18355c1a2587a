import { benchCommand } from "./command.ts";

try {
  await benchCommand().parseAsync(process.argv);
} catch (error) {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    process.stderr.write(`${cause.message}\n`);
  process.exitCode = 1;
}
