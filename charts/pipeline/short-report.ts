import type { StageStatus } from "../../crds/pipeline-status.ts";
import { shortenText, storedBytes } from "./stored-text.ts";

/** Bytes of one text. Users, renderers and other programs may write texts of any length. */
const mostOfText = 1_000;
/** Bytes of a list of texts. */
const mostOfList = 4_000;

/** The status of a stage, at most about 20 KiB in the store of the API server: a Pipeline may have 32 stages. Pure. */
export function shortenStage(status: StageStatus): StageStatus {
  const { waiting, problems, promotion } = status;
  return {
    ...status,
    ...(promotion?.message !== undefined && {
      promotion: { ...promotion, message: shortenText(promotion.message, mostOfText) },
    }),
    ...(waiting !== undefined && {
      waiting: waiting.map(({ excluded, ...gate }) => ({
        ...gate,
        message: shortenText(gate.message, mostOfText),
        ...(excluded !== undefined && { excluded: firstTexts(excluded) }),
      })),
    }),
    ...(problems !== undefined && { problems: shortenList(problems) }),
  };
}

function shortenList(texts: readonly string[]): string[] {
  const short = texts.map((text) => shortenText(text, mostOfText));
  const first = firstTexts(short);
  const more = short.length - first.length;
  return more > 0 ? [...first, `and ${more} more`] : first;
}

function firstTexts(texts: readonly string[]): string[] {
  let bytes = 0;
  return texts.filter((text) => {
    bytes += storedBytes(text) + 1;
    return bytes <= mostOfList;
  });
}
