/** Asks for one thing after the other, a few at one time, and gives the answers in the order of the questions. */
export async function inOrder<One, Answer>(
  ones: readonly One[],
  ask: (one: One) => Promise<Answer>,
  { atATime = 8 }: { readonly atATime?: number } = {},
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const waiting = ones.entries();
  const askNext = async (): Promise<void> => {
    for (const [index, one] of waiting) answers[index] = await ask(one);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, ones.length) }, askNext));
  return answers;
}
