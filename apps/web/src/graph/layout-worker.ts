/** Finds places for large pictures beside the page, which goes on moving meanwhile. */
import { placesFor, type NumberedOrder, type NumberedPlaces } from "./places.ts";

addEventListener("message", ({ data }: MessageEvent<NumberedOrder>) => {
  const startMs = performance.now();
  const positions = placesFor(data);
  const answer: NumberedPlaces = {
    number: data.number,
    positions,
    tookMs: performance.now() - startMs,
  };
  postMessage(answer);
});
