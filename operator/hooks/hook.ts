/** One hook: who may post to `/hooks/<name>`, and what a post may trigger. */
export interface Hook {
  readonly name: string;
  /** Secrets that the sender and the operator share; any of them may sign, to allow a rotation. Never empty. */
  readonly secrets: readonly string[];
  /** The only repository for which it triggers polls. Undefined: every repository of a resource. */
  readonly url: string | undefined;
}

/** Finds a hook by its name; an unknown name must take as long as a known one. */
export interface Hooks {
  find(name: string): Promise<Hook | undefined>;
}

/** Why a request was rejected. */
export const hookRefusals = [
  /** The path is not that of a hook. */
  "not-found",
  "method",
  "too-large",
  /** No signature, a wrong one, or no such hook. */
  "unsigned",
  "malformed",
  /** Too many bodies are being read. */
  "busy",
  /** This instance does not lead, and the leader is unreachable. */
  "no-leader",
  /** The sender closed the connection, or was too slow. */
  "broken",
] as const;
export type HookRefusal = (typeof hookRefusals)[number];

/** Outcome of one request. */
export const hookOutcomes = [
  /** Polls of the remotes are triggered. */
  "accepted",
  /** It names no repository of a resource. */
  "unrelated",
  /** A repeated delivery. */
  "repeated",
  /** It was passed on to the leader. */
  "passed-on",
  ...hookRefusals,
] as const;
export type HookOutcome = (typeof hookOutcomes)[number];
