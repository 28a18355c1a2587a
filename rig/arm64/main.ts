import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testProgram } from "../program-options.ts";
import { createMachineFiles, type MachineFiles } from "./machine-files.ts";

const { args } = testProgram(
  "npm run test:arm64 --",
  "Runs the tests of the sandbox on an emulated arm64 machine with a kernel of its own, as root on Linux.",
)
  .argument(
    "[arguments...]",
    "files of tests, and flags of vitest after `--`; default: the tests of the sandbox",
  )
  .parse();

/** Memory for the files and the tests, in MiB. */
const MEMORY_MIB = 6_144;
const LONGEST_MS = 60 * 60_000;
const project = fileURLToPath(new URL("../..", import.meta.url));
/** Not all tests of programs: the time limits of some are too short for emulated processors. */
const tests = [
  "*.test.ts",
  ...["sandbox-layers", "sandbox-isolation", "programs"].map((name) => `program/${name}.test.ts`),
];
const vitest = [
  "node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts",
  "--project unit --project unit-slow --project unit-isolated --project unit-alone",
  "--testTimeout=900000 --hookTimeout=900000 --maxWorkers=1",
  ...(args.length > 0 ? args : tests.map((name) => `test/operator/sandbox/${name}`)),
].join(" ");

const report = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "fairlead-arm64-"));
try {
  const files = await createMachineFiles({ project, folder, script: vitest, report });
  report("Starting the machine");
  process.exitCode = await boot(files);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Shows the console until the machine has stopped. @returns The exit code of its script; 1: it did not end. */
async function boot({ kernel, archive }: MachineFiles): Promise<number> {
  const machine = ["-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", `${MEMORY_MIB}`, "-nic", "none"];
  // A kernel that fails restarts at once, and qemu then ends.
  const kernelArguments = "console=ttyAMA0 quiet panic=-1 rdinit=/init";
  const child = spawn(
    "qemu-system-aarch64",
    [
      ...machine,
      "-kernel",
      kernel,
      "-initrd",
      archive,
      "-append",
      kernelArguments,
      "-nographic",
      "-no-reboot",
    ],
    { stdio: ["ignore", "pipe", "inherit"], timeout: LONGEST_MS },
  );
  let tail = "";
  child.stdout.on("data", (chunk: Buffer) => {
    process.stdout.write(chunk);
    tail = (tail + chunk.toString("latin1")).slice(-4_096);
  });
  await new Promise<void>((resolve, reject) => child.once("error", reject).once("close", () => resolve()));
  const codes = [...tail.matchAll(/^.{0,20}machine: exit code (\d+)\r?$/gm)];
  return Number(codes.at(-1)?.[1] ?? 1);
}
