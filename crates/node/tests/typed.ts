// Checked by tsc, not run: what programs write has the types that they expect.

import { Ignore, Pattern, Search, SearchError, walk } from "@heist-search/node";

async function all(): Promise<string[]> {
  const controller = new AbortController();
  const search = new Search(/* pattern */ "needle", ["src", Buffer.from("test")], {
    only: ["*.c", "*.h"],
    context: [1, 2],
    changed: "main...",
    newer: new Date(0),
    index: true,
    signal: controller.signal,
  });
  const found: string[] = [];
  for await (const hit of search) {
    const [start, end]: readonly [number, number] = hit.spans[0]!;
    const group: string | undefined = hit.groups[0];
    found.push(hit.text.slice(start, end), group ?? "", hit.before[0]!.text);
  }
  const next: number | undefined = search.shown?.next;
  const cut: "limit" | "timeout" | "cancelled" | undefined = search.shown?.cut;
  await search.close();
  return [...found, String(next), String(cut)];
}

function others(): void {
  for (const hit of new Search(new Pattern("x", { word: true }))) hit.line.toFixed();
  for (const match of new Pattern("x").findIter(new Uint8Array(1))) match.groups[0]?.toString();
  for (const entry of walk("src", { directories: true })) entry.kind === "directory";
  const left: string[] = new Ignore(".", { rules: "search" }).filter(["a", "b"]);
  const error: unknown = left;
  if (error instanceof SearchError) error.code.toUpperCase();
  // @ts-expect-error: a limit is a number.
  new Search("x", ".", { limit: "1" });
  // @ts-expect-error: there is no such option.
  new Search("x", ".", { dotall: true });
  // @ts-expect-error: a text has no bytes.
  new Pattern("x").isMatch("text");
  // @ts-expect-error: a hit cannot be changed.
  for (const hit of new Search("x")) hit.line = 1;
}

void all;
void others;
