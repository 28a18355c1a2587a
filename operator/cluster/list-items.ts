const quote = 34;
const backslash = 92;
const openers = new Set([91, 123]);
const closers = new Set([93, 125]);
const comma = 44;

/**
 * Splits the `items` of a list's JSON text without parsing it, so that a list of 30,000 objects need not be parsed at
 * once, which would block the event loop for a quarter of a second. It takes no more time in total.
 * @returns The text of the list without its items.
 */
export function* cutItems(json: string): Generator<string, string, void> {
  const start = itemsStart(json);
  if (start === -1) return json;
  let depth = 0;
  let itemStart = start;
  let at = start;
  for (; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (openers.has(code)) depth += 1;
    else if (closers.has(code) && depth > 0) depth -= 1;
    else if (depth > 0 || (code !== comma && !closers.has(code))) continue;
    else {
      const item = json.slice(itemStart, at).trim();
      if (item !== "") yield item;
      itemStart = at + 1;
      if (code !== comma) break;
    }
  }
  return json.slice(0, start) + json.slice(at);
}

/** Position after the `[` of the top level's `items`; -1 if there are none. */
function itemsStart(json: string): number {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      const end = endOfText(json, at);
      if (depth === 1 && json.slice(at, end + 1) === '"items"') {
        const value = /^\s*:\s*\[/.exec(json.slice(end + 1, end + 32));
        if (value !== null) return end + 1 + value[0].length;
      }
      at = end;
    } else if (openers.has(code)) depth += 1;
    else if (closers.has(code)) depth -= 1;
  }
  return -1;
}

// Position of the closing quote of the text that begins at `at`.
function endOfText(json: string, at: number): number {
  for (let end = json.indexOf('"', at + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}
