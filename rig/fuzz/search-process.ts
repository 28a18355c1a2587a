import { InputRecorder } from "./last-input.ts";
import { type Finding, type Searched, type SearchOptions, search } from "./search.ts";

// Searches in a process of its own (supervise.ts): a reader may hang this process or crash it.

/** The arguments of the process, as JSON. */
export interface SearchInput extends Omit<SearchOptions, "onFinding" | "onInput"> {
  /** File of the last input. */
  readonly record: string;
}

/** A message to the supervisor. */
export type SearchMessage = { readonly finding: Finding } | { readonly searched: Searched };

const { record, ...options } = JSON.parse(process.argv[2] ?? "") as SearchInput;
const recorder = new InputRecorder(record);
const send = (message: SearchMessage): void => void process.send?.(message);
const searched = await search({
  ...options,
  onFinding: (finding) => send({ finding }),
  onInput: (reader, bytes) => recorder.record(reader, bytes),
});
recorder.close();
send({ searched });
process.disconnect?.();
