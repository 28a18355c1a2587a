import { shortId } from "../../crds/short-id.ts";
import { describeId } from "../../operator/engine/object-text.ts";
import { formatColumns, printable } from "../release/columns.ts";
import type { DiffReport } from "../release/diff/report.ts";
import { exitCodes, formatReport, summaryOf } from "../release/diff/report.ts";
import { formatComparison, isDifferent } from "./compare-stages.ts";
import type { ReleasePlan, StagePlan } from "./plan-stages.ts";

/**
 * 0: no stage would change. 1: a stage would change. 2: a change would be refused, a Release cannot be planned, or a stage
 * has undeclared differences from an earlier stage. Pure.
 */
export function exitCodeOfPlan(plans: readonly StagePlan[]): number {
  const all = plans.flatMap(({ releases }) => releases);
  if (plans.some(({ differences }) => isDifferent(differences))) return exitCodes.failed;
  if (all.some(({ report, error }) => error !== undefined || actionsOf(report).has("refused")))
    return exitCodes.failed;
  return all.some(isChanged) ? exitCodes.different : exitCodes.same;
}

function actionsOf(report: DiffReport | undefined): ReadonlySet<string> {
  return new Set(report?.changes.map(({ action }) => action));
}

function isChanged({ report }: ReleasePlan): boolean {
  if (report === undefined) return false;
  return report.held !== undefined || report.changes.some(({ action }) => action !== "unchanged");
}

/** Formats a plan as text: the differences by Release, then one line for each stage. Pure. */
export function formatPlan(plans: readonly StagePlan[]): readonly string[] {
  const details = plans.flatMap(({ stage, releases }) =>
    releases.flatMap(({ release, report, error }) => {
      if (error !== undefined) return [printable(`Stage ${stage}: Release ${release}: ${error}`), ""];
      return report === undefined || !isChanged({ release, report, error })
        ? []
        : [`Stage ${stage}:`, ...formatReport(report), ""];
    }),
  );
  const rows = plans.map(({ stage, digest, releases, gates }) => [
    stage,
    digest === undefined ? "none" : shortId(digest),
    releases.map(summaryOfRelease).join("; ") || "no Releases",
    gates.join(", ") || "none",
  ]);
  const differences = plans.flatMap((plan) => formatComparison(plan.stage, plan.differences).map(printable));
  const between = differences.length === 0 ? [] : [...differences, ""];
  return [...details, ...between, ...formatColumns([["STAGE", "DIGEST", "CHANGES", "NEEDS"], ...rows])];
}

function summaryOfRelease({ release, report, error }: ReleasePlan): string {
  if (error !== undefined) return `${release}: cannot be planned`;
  const held = report?.held === undefined ? "" : ", prune held";
  return `${release}: ${report === undefined ? "none" : summaryOf(report.changes)}${held}`;
}

/**
 * Maximum length of the diff of one object in a comment of a pull request, in characters: forges limit the whole
 * comment.
 */
const longestDiff = 3_000;
const longestText = 50_000;

/** Formats a plan as a comment for a pull request. Pure. */
export function markdownOfPlan(plans: readonly StagePlan[], { title }: { readonly title: string }): string {
  const rows = plans.map(({ stage, digest, releases, gates }) => {
    const shortDigest = digest === undefined ? "none" : shortId(digest);
    const changes = releases.map(summaryOfRelease).join("; ") || "no Releases";
    return `| ${plain(stage)} | \`${shortDigest}\` | ${plain(changes)} | ${plain(gates.join(", ") || "none")} |`;
  });
  const details = plans.flatMap(({ stage, releases }) => releases.flatMap((plan) => detailsOf(stage, plan)));
  const head = [
    `### ${plain(title)}`,
    "",
    "| stage | digest | changes | needs |",
    "| --- | --- | --- | --- |",
    ...rows,
    ...differencesOf(plans),
  ];
  const lines = [...head, ...details];
  const text = lines.join("\n");
  return text.length <= longestText
    ? `${text}\n`
    : `${head.join("\n")}\n\nThe differences are too long for a comment: run the command without \`-o markdown\`.\n`;
}

/** Maximum number of differences in a comment. */
const mostDifferences = 50;

function differencesOf(plans: readonly StagePlan[]): readonly string[] {
  const lines = plans.flatMap(({ stage, differences }) => formatComparison(stage, differences));
  const left = lines.length - mostDifferences;
  const shown = lines.slice(0, mostDifferences).map((line) => `- ${plain(line)}`);
  if (lines.length === 0) return [];
  return ["", ...shown, ...(left > 0 ? [`- … and ${left} more`] : [])];
}

function detailsOf(stage: string, { release, report, error }: ReleasePlan): readonly string[] {
  if (error !== undefined) return ["", `**${plain(stage)}**, Release ${plain(release)}: ${fenced(error)}`];
  const changed = (report?.changes ?? []).filter(({ action }) => action !== "unchanged");
  return [
    ...(report?.held === undefined ? [] : ["", `**${plain(stage)}**: ${plain(report.held)}`]),
    ...changed.flatMap(({ action, id, diff, note }) => [
      "",
      `<details><summary>${plain(stage)}: ${action} ${plain(describeId(id))}${note === undefined ? "" : `: ${plain(note)}`}</summary>`,
      "",
      fenced(diff.length > longestDiff ? `${diff.slice(0, longestDiff)}\n… shortened` : diff, "diff"),
      "",
      "</details>",
    ]),
  ];
}

/** Puts a text into a code block. The fence is longer than any in the text, so the text cannot end the block. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `\n${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** Escapes text of other authors for a comment: HTML, formatting, links, mentions and the ends of table cells. */
function plain(text: string): string {
  return printable(text)
    .replaceAll(/[&<>|\\`*[\]@~]/g, (character) => entities[character] ?? `&#${character.charCodeAt(0)};`)
    .replaceAll("://", "&#58;//");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
