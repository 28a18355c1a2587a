import { folders, type Program } from "./actions.ts";

const make = (before: string): string => `
  import { ApiObject, type App, Chart } from "cdk8s";
  export default (app: App, { name, namespace }: { name: string; namespace?: string }) => {
    ${before}
    const metadata = { name, ...(namespace && { namespace }) };
    new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { by: "program" } });
  };`;

const texts: Record<Program, string> = {
  quick: make(""),
  slow: make("for (let sum = 0, round = 0; round < 2e8; round++) sum = (sum * 31 + round) % 1000003;"),
  endless: make("for (;;);"),
  throwing: make('throw new Error("not today");'),
};

/** Programs in each folder of the attacker, by path. */
export const attackerPrograms: Readonly<Record<string, string>> = Object.fromEntries(
  folders.flatMap((folder) => Object.entries(texts).map(([name, text]) => [`${folder}/${name}.ts`, text])),
);
