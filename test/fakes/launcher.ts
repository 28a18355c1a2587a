import { provideLauncher } from "../../cli/launcher/build-launcher.ts";
import { probeKernelWalls } from "../../operator/sandbox/kernel-walls.ts";

/** The launcher of the sandbox, built once per machine; undefined without Go or Linux. */
export const launcher = await provideLauncher(process.env);

/** The kernel restrictions of programs on this machine. */
export const kernelWalls = await probeKernelWalls(launcher);
