// The program of the image: `fairlead run` for the kinds that ship, or the main process of a zone, and nothing else of the
// command line. Each part is loaded where it is needed: a zone has nothing of the operator in memory.
const [, , command, zone, ...words] = process.argv;
if (command === "zone" && zone === "sandbox") {
  const { runSandboxZone } = await import("../../operator/sandbox/main.ts");
  process.exitCode = await runSandboxZone(words);
} else {
  const { runImageOperator } = await import("./run-operator.ts");
  process.exitCode = await runImageOperator();
}
