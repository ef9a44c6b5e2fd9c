/** Searches lines beside the page: an expression that takes for ever holds up nobody, and the page can end it. */
import { lineMatcher, type LineMatcher } from "./log-query.ts";
import { requestedLines, type SearchAnswer, type SearchRequest } from "./log-search.ts";

let matcher: LineMatcher | undefined;
let number = 0;

addEventListener("message", ({ data }: MessageEvent<SearchRequest>) => {
  if (data.query !== undefined) {
    matcher = lineMatcher(data.query);
    number = data.number;
  }
  if (matcher === undefined || data.number !== number) return;
  const matches: SearchAnswer["matches"] = [];
  for (const [id, text] of requestedLines(data)) {
    const ranges = matcher.find(text);
    if (ranges.length > 0) matches.push([id, ranges]);
  }
  const answer: SearchAnswer = { number, matches, searched: data.ids.length };
  postMessage(answer);
});
