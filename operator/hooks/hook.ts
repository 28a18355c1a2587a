/** One hook: who may post to `/hooks/<name>`, and what a post may set going. */
export interface Hook {
  readonly name: string;
  /** Texts that the sender and we share; any of them may sign, so that one can follow another. Never empty. */
  readonly secrets: readonly string[];
  /** The one repository that it may tell of. Undefined: every repository that resources come from. */
  readonly url: string | undefined;
}

/** Looks a hook up by its name; it must take as long for a name that is not there. */
export interface Hooks {
  find(name: string): Promise<Hook | undefined>;
}

/** Why a request got nothing. */
export const hookRefusals = [
  /** Another path than that of a hook. */
  "not-found",
  "method",
  "too-large",
  /** No signature, a wrong one, or no such hook. */
  "unsigned",
  "malformed",
  /** Too many bodies are being read. */
  "busy",
  /** This instance does not lead, and the one that does cannot be reached. */
  "no-leader",
  /** The sender went away, or was too slow. */
  "broken",
] as const;
export type HookRefusal = (typeof hookRefusals)[number];

/** What became of one request. */
export const hookOutcomes = [
  /** Remotes are asked. */
  "accepted",
  /** It tells of no repository that a resource comes from. */
  "unrelated",
  /** It was here before. */
  "repeated",
  /** The instance that leads has it. */
  "passed-on",
  ...hookRefusals,
] as const;
export type HookOutcome = (typeof hookOutcomes)[number];
