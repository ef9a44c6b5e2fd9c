/** Reading of server-sent events, apart from how they arrive: browsers have no undici. */
export { readEvent } from "./watch/read-event.ts";
export { SseDecoder } from "./watch/sse-decoder.ts";
