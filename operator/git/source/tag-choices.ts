import type { Clock } from "../../ports.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";
import { namesIn, type RemoteRefs } from "../remote-refs.ts";
import { chooseTag } from "./semver-ref.ts";

/** Chooses tags by ranges of versions, and caches the choices until the refs of the remote change. */
export class TagChoices {
  readonly #clock: Clock;
  #digest = "";
  #tags: readonly string[] | undefined;
  readonly #chosen = new Map<string, string | undefined>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Full name of the tag with the highest version in a range; undefined: no tag is in the range. */
  async choose(refs: RemoteRefs, range: string): Promise<string | undefined> {
    if (refs.digest !== this.#digest) this.#forget(refs.digest);
    if (this.#chosen.has(range)) return this.#chosen.get(range);
    const slice = new TimeSlice(this.#clock);
    this.#tags ??= await slice.run(namesIn(refs, "refs/tags/"));
    const tag = await slice.run(chooseTag(this.#tags, range));
    const ref = tag === undefined ? undefined : `refs/tags/${tag}`;
    this.#chosen.set(range, ref);
    return ref;
  }

  /** Frees the list of tags: the next poll reads the refs again. */
  rest(): void {
    this.#tags = undefined;
  }

  #forget(digest: string): void {
    this.#digest = digest;
    this.#tags = undefined;
    this.#chosen.clear();
  }
}
