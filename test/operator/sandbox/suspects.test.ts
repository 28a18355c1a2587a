import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { RenderEndedError } from "../../../operator/errors.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { Suspects } from "../../../operator/sandbox/suspects.ts";
import { ZoneLostError } from "../../../operator/zones/errors.ts";

/** A process that renders. */
class FakeProcess {
  readonly #lose = new Set<() => void>();

  /** A render that runs until `work` is done, or until the process ends. */
  async render(work: () => Promise<void>): Promise<"rendered"> {
    const { promise, reject } = Promise.withResolvers<never>();
    const lose = (): void => reject(new ZoneLostError("sandbox"));
    this.#lose.add(lose);
    try {
      await Promise.race([work(), promise]);
      return "rendered";
    } finally {
      this.#lose.delete(lose);
    }
  }

  end(): void {
    for (const lose of [...this.#lose]) lose();
  }
}

test("new renders of a namespace that crashes the process do not run together with those of others", async () => {
  const suspects = new Suspects({ clock: systemClock() });
  const wanted = new AbortController().signal;
  const zone = new FakeProcess();
  const crash = async (): Promise<void> => {
    zone.end();
    await new Promise(() => {});
  };
  const crashes: Promise<unknown>[] = [];
  let attempts = 0;
  const good = suspects.run("shop", wanted, () =>
    zone.render(async () => {
      attempts += 1;
      // Another Release of the other namespace, each time that this one is rendered.
      crashes.push(suspects.run("bad", wanted, () => zone.render(crash)).catch((error: unknown) => error));
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    }),
  );
  expect(await good).toBe("rendered");
  expect(attempts).toBe(2);
  for (const error of await Promise.all(crashes)) expect(error).toBeInstanceOf(RenderEndedError);
});

test("a namespace does not wait any more when it has no suspects", async () => {
  const suspects = new Suspects({ clock: systemClock() });
  const wanted = new AbortController().signal;
  const zone = new FakeProcess();
  let isFirst = true;
  await suspects.run("shop", wanted, () =>
    zone.render(async () => {
      if (isFirst) zone.end();
      isFirst = false;
    }),
  );
  const together = Promise.withResolvers<void>();
  let running = 0;
  const render = () =>
    zone.render(async () => {
      if (++running === 2) together.resolve();
      await together.promise;
    });
  await Promise.all([suspects.run("shop", wanted, render), suspects.run("shop", wanted, render)]);
});
